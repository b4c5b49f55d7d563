import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace('whsec_', ''), 'base64')

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`)
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`)
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const server = createServer(async (request, response) => {
  const body = await text(request)
  if (!isGenuine(request.headers, body)) {
    response.writeHead(401).end()
    return
  }
  const { type, data } = JSON.parse(body)
  console.log(data.table === undefined ? type : `${type}: table ${data.table}`)
  response.writeHead(204).end()
})

server.listen(Number(process.env.PORT ?? 8080), () => console.log(`Listening on ${server.address().port}`))
