import { encodeQR } from 'qr'
import { describe, expect, it } from 'vitest'
import { button, heading, holdTheApp, menu, phone, send, setUpGuests } from '../pages/guest-tables.ts'
import { lastingViolations } from '../support/accessibility.ts'
import { createCameraClip, createDrawnCamera } from '../support/camera.ts'

const { app, restaurant, freshTable, linkTo, crewScreen } = setUpGuests()

describe('the camera', () => {
  const noCamera = 'Unable to access camera. Please check permissions or enter table number manually.'

  it('reads the code of a table', async () => {
    const table = freshTable()
    const page = await phone({ camera: { clip: createCameraClip(linkTo(table)) } })
    await page.goto(`${app.url}/customer`)
    await page.getByText("Point your camera at the table's QR code").waitFor()
    await button(page, 'Start Scanning').tap()
    await heading(page, menu).waitFor()
    await page.getByText(`Table ${table}`, { exact: true }).waitFor()
  })

  it('reads a code that appears late, by then with the better decoder', async () => {
    await crewScreen()
    const table = freshTable()
    const page = await phone()
    const camera = await createDrawnCamera(page)
    await page.goto(`${app.url}/customer`)
    const wasm = page.waitForResponse(/zxing_reader.*\.wasm/)
    await button(page, 'Start Scanning').tap()
    const decoder = await wasm
    expect(decoder.url()).toMatch(new RegExp(`^${app.url}/assets/`))
    await decoder.finished()
    await camera.show(linkTo(table, { k: '1.kkkk' }))
    await heading(page, menu).waitFor()
    const sent = page.waitForRequest('**/api/service-requests')
    await send(page, 'Drinks')
    expect((await sent).postDataJSON()).toMatchObject({ tableNumber: table, k: '1.kkkk' })
  })

  it('starts for a tap that came before the app', async () => {
    const page = await phone()
    const table = freshTable()
    await createDrawnCamera(page, linkTo(table))
    const arrive = await holdTheApp(page)
    await page.goto(`${app.url}/customer`, { waitUntil: 'commit' })
    await button(page, 'Start Scanning').tap()
    arrive()
    await heading(page, menu).waitFor()
    await page.getByText(`Table ${table}`, { exact: true }).waitFor()
  })

  it('is the rear one, and off again after a code, a Cancel and a hidden page', async () => {
    const page = await phone()
    const camera = await createDrawnCamera(page)
    await page.goto(`${app.url}/customer`)
    await button(page, 'Start Scanning').tap()
    await button(page, 'Cancel').waitFor()
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0)
    expect(await camera.requestedConstraints()).toMatchObject([
      { audio: false, video: { facingMode: { ideal: 'environment' } } },
    ])
    expect(await lastingViolations(page)).toEqual([])
    await button(page, 'Cancel').tap()
    await button(page, 'Start Scanning').waitFor()
    await expect.poll(() => camera.isRunning()).toBe(false)

    await button(page, 'Start Scanning').tap()
    await camera.show('WIFI:S:guests;;')
    const alert = page.getByRole('alert')
    await alert.getByText('Invalid QR Code').waitFor()
    await alert
      .getByText(
        "This QR code doesn't contain valid restaurant information. Please try another code or enter your table number manually.",
      )
      .waitFor()
    await expect.poll(() => camera.isRunning()).toBe(false)

    const table = freshTable()
    await camera.show(JSON.stringify({ restaurantId: restaurant().name, tableNumber: table }))
    await button(page, 'Start Scanning').tap()
    await heading(page, menu).waitFor()
    await page.getByText(`Table ${table}`, { exact: true }).waitFor()
  })

  it('reads nothing while the page is hidden', async () => {
    const page = await phone()
    const camera = await createDrawnCamera(page)
    await page.goto(`${app.url}/customer`)
    await button(page, 'Start Scanning').tap()
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0)
    const show = (state: string) =>
      page.evaluate((visibility) => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, value: visibility })
        document.dispatchEvent(new Event('visibilitychange'))
      }, state)
    await show('hidden')
    await page.waitForFunction(() => document.querySelector('video')?.paused)
    await camera.show(linkTo())
    await show('visible')
    await heading(page, 'Welcome!').waitFor()
    expect(await page.getByLabel('Restaurant Name').count()).toBe(0)
  })

  it.each(['denied', 'none'] as const)('that is %s is reported, and typing is offered', async (camera) => {
    const page = await phone({ camera })
    await page.goto(`${app.url}/customer`)
    await button(page, 'Start Scanning').tap()
    await page.getByRole('alert').getByText(noCamera, { exact: true }).waitFor()
    await button(page, 'Enter Table Number Manually').tap()
    await heading(page, 'Welcome!').waitFor()
  })

  it('is not needed for a picture of the code', async () => {
    const page = await phone()
    const table = freshTable()
    await page.goto(`${app.url}/customer`)
    const file = page.getByLabel('Scan from a picture')
    await file.setInputFiles({ name: 'empty.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') })
    await page
      .getByRole('alert')
      .getByText(/No QR code was found in this picture/)
      .waitFor()
    const code = Buffer.from(encodeQR(linkTo(table), 'gif', { scale: 8 }))
    await file.setInputFiles({ name: 'code.gif', mimeType: 'image/gif', buffer: code })
    await heading(page, menu).waitFor()
    await page.getByText(`Table ${table}`, { exact: true }).waitFor()
  })
})
