import { readFileSync } from 'node:fs'
import { decodeQR } from 'qr/decode.js'
import { expect, it } from 'vitest'
import { cameraClip } from './camera.ts'

it('films nothing at first and then a code that can be read', () => {
  const link = 'https://tableside.test/customer?r=Blue%20Door&t=7&k=abc'
  const clip = readFileSync(cameraClip(link, { blankFrames: 2, frames: 1 }))
  const [size, start] = [(640 * 480 * 3) / 2, clip.indexOf('FRAME\n') + 6]
  const frame = (number: number): Parameters<typeof decodeQR>[0] => {
    const from = start + number * (size + 6)
    return { width: 640, height: 480, data: clip.subarray(from, from + size) }
  }
  expect(() => decodeQR(frame(1), { format: 'I420' })).toThrow('finder')
  expect(decodeQR(frame(2), { format: 'I420' })).toBe(link)
})
