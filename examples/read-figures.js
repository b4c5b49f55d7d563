const server = process.env.TABLESIDE_URL ?? 'http://localhost:3000'

const answer = await fetch(`${server}/api/analytics/overview`, {
  headers: { authorization: `Bearer ${process.env.TABLESIDE_TOKEN}` },
})
const body = await answer.json()
if (!answer.ok) throw new Error(`${body.code}: ${body.message}`)
console.log(`Requests today: ${body.requestsToday}`)
