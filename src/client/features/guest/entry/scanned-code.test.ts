import { expect, it } from 'vitest'
import { parseScannedCode } from './scanned-code.ts'

it.each([
  ['https://x.example/customer?r=Blue+Door&t=7', { restaurantId: 'Blue Door', tableNumber: '7', k: null }],
  ['https://x.example/customer?r=Blue%20Door', { restaurantId: 'Blue Door', tableNumber: '', k: null }],
  [
    'http://localhost:3000/customer?r=A&t=Patio%203&k=1.abc',
    { restaurantId: 'A', tableNumber: 'Patio 3', k: '1.abc' },
  ],
  ['  https://x.example/?t=4&r=%20A%20 ', { restaurantId: 'A', tableNumber: '4', k: null }],
  [
    '{"restaurantId":"Blue Door","tableNumber":"7"}',
    { restaurantId: 'Blue Door', tableNumber: '7', k: null },
  ],
  ['{"restaurantId":" A ","tableNumber":7}', { restaurantId: 'A', tableNumber: '7', k: null }],
])('reads %s', (content, code) => {
  expect(parseScannedCode(content)).toEqual(code)
})

it.each([
  '',
  'hello',
  'https://x.example/menu',
  'https://x.example/customer?t=7',
  'https://x.example/customer?r=%20',
  'WIFI:S:Blue Door;T:WPA;P:secret;;',
  '{"restaurantId":"A"}',
  '{"tableNumber":"7"}',
  '{"restaurantId":"A","tableNumber":" "}',
  '{"restaurantId":{},"tableNumber":"7"}',
  '["A","7"]',
  'null',
  '7',
])('refuses %j', (content) => {
  expect(parseScannedCode(content)).toBeNull()
})
