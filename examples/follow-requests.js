const server = process.env.TABLESIDE_URL ?? 'http://localhost:3000'

const socket = new WebSocket(`${server.replace('http', 'ws')}/ws`, {
  headers: { authorization: `Bearer ${process.env.TABLESIDE_TOKEN}` },
})

// Answers with all open requests. What happens from then on comes by itself.
socket.addEventListener('open', () => {
  socket.send(JSON.stringify({ type: 'get-pending-requests', ref: 'list' }))
})

socket.addEventListener('message', ({ data }) => {
  const message = JSON.parse(data)
  switch (message.type) {
    case 'pending-requests':
      console.log(`Open: ${message.requests.length}`)
      break
    case 'new-request':
      console.log(`Table ${message.request.tableNumber}: ${message.request.serviceType}`)
      break
    case 'request-completed':
      console.log(message.cancelled ? 'Cancelled' : 'Done')
      break
    case 'error':
      console.error(`${message.code}: ${message.message}`)
      break
  }
})

socket.addEventListener('close', ({ code }) => {
  if (code === 4401) console.error('The token was revoked, or has expired.')
  else console.error('The connection was lost: connect again after a moment.')
  process.exitCode = 1
})
