import { readFileSync } from 'node:fs'
import { decodeQR } from 'qr/decode.js'
import { expect, it, onTestFinished } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { expectPageError, openPage } from './support/browser.ts'
import { createCameraClip } from './support/camera.ts'

it('creates a camera clip with blank frames before a readable code', () => {
  const link = 'https://tableside.test/customer?r=Blue%20Door&t=7&k=abc'
  const clip = readFileSync(createCameraClip(link, { blankFrames: 2, frames: 1 }))
  const [size, start] = [(640 * 480 * 3) / 2, clip.indexOf('FRAME\n') + 6]
  const frame = (number: number): Parameters<typeof decodeQR>[0] => {
    const from = start + number * (size + 6)
    return { width: 640, height: 480, data: clip.subarray(from, from + size) }
  }
  expect(() => decodeQR(frame(1), { format: 'I420' })).toThrow('finder')
  expect(decodeQR(frame(2), { format: 'I420' })).toBe(link)
})

it('reports what a page’s Content-Security-Policy blocks, which includes turning text into markup', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.stop())
  const { name } = await app.restaurant({ tables: ['1'] })
  const page = await openPage({ tolerate: [/401/, /TrustedHTML/] })
  for (const path of ['/', '/restaurant-login', `/customer?r=${encodeURIComponent(name)}&t=1`]) {
    await page.goto(app.url + path)
    expectPageError(page, /securitypolicyviolation: require-trusted-types-for/)
    const refused = await page.evaluate(async () => {
      // It comes later than the exception.
      const reported = new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', resolve, { once: true })
      })
      try {
        document.body.innerHTML = '<img src=x onerror=alert(1)>'
        return null
      } catch (error) {
        await reported
        return String(error)
      }
    })
    expect(refused).toContain("requires 'TrustedHTML'")
  }
})
