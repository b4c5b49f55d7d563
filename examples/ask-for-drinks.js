const server = process.env.TABLESIDE_URL ?? 'http://localhost:3000'
const [restaurantId, tableNumber] = process.argv.slice(2)

const answer = await fetch(`${server}/api/service-requests`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    // However often it is sent, it counts once.
    id: crypto.randomUUID(),
    restaurantId,
    tableNumber,
    serviceType: 'drinks',
  }),
})
const body = await answer.json()
if (!answer.ok) throw new Error(`${body.code}: ${body.message}`)
console.log(`Table ${body.request.tableNumber}: ${body.request.state}`)
