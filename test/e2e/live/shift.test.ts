import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { alarmSets } from '#contract/restaurants.ts'
import type { CrewMember } from '#contract/crew.ts'
import type { ClientMessageInput } from '#contract/live.ts'
import type { ServiceType } from '#contract/requests.ts'
import { setUpApp, type TestApp } from '../../support/app.ts'
import { pendingRequests } from '../../support/crew-view.ts'
import {
  clippedTexts,
  countLines,
  overflowingElements,
  setTextSize,
  smallTargets,
  violations,
} from '../support/accessibility.ts'
import { openNetwork, openPage, type PageOptions, serverAwayErrors } from '../support/browser.ts'
import { ticket } from '../support/crew-screen.ts'
import { answerPushSubscription, fakePushSubscription } from '../support/fake-push-manager.ts'
import { press, recordToasts, toast } from '../support/locators.ts'
import { neverEscalate } from '../support/never-escalate.ts'
import { takeScreenshot, takeScreenshots, viewports } from '../support/screenshots.ts'
import { signInToRestaurant } from '../support/sign-in.ts'

const app = setUpApp({ guestLimits: false })
let restaurant: Awaited<ReturnType<TestApp['restaurant']>>

beforeEach(async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => `${index + 1}`)
  restaurant = await app.restaurant({ tables: [...numbers, 'Patio 3', 'By the fountain'] })
})

const hire = (name: string, role: CrewMember['role'] = 'Server') =>
  restaurant.owner.ok(api.crew.add, { body: { name, role } })

async function ask(tableNumber: string, serviceType: ServiceType = 'drinks', minutesAgo = 0): Promise<void> {
  app.advance(-minutesAgo * 60_000)
  await app.browser().ok(api.requests.send, {
    body: { id: randomUUID(), restaurantId: restaurant.name, tableNumber, serviceType },
  })
  app.advance(minutesAgo * 60_000)
}

async function openCrew(options: PageOptions = {}, path = '/waiter'): Promise<Page> {
  const page = await openPage({ viewport: viewports.desktop, tolerate: [/\/api\/auth\/user/], ...options })
  await signInToRestaurant(page, app, restaurant)
  await page.context().grantPermissions(['screen-wake-lock'])
  await page.goto(`${app.url}${path}`)
  await page.getByText('Live', { exact: true }).waitFor()
  return page
}

async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Select your name' }).first().click()
  await page.getByRole('radio', { name }).click()
}

/** As Maya, after a reload. */
async function startShift(page: Page): Promise<void> {
  await page.reload()
  await choose(page, 'Maya')
  await press(page, 'Start shift')
}

/** A small phone, and a tablet in portrait. */
const sizes = { small: { width: 360, height: 640 }, upright: { width: 820, height: 1180 } }

/** Returns the last `listening` message that the page sent. */
function listening(page: Page): () => unknown {
  let last: unknown
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const sent: ClientMessageInput = JSON.parse(String(payload))
      for (const { ref: _, ...message } of sent.type === 'resume' ? sent.messages : [sent])
        if (message.type === 'listening') last = message
    }),
  )
  return () => last
}

it("begins a shift with one tap, stands in nobody's way, and ends it", async () => {
  await hire('Maya')
  const page = await openCrew({ viewport: viewports.phone })
  const told = listening(page)
  await page.reload()
  await choose(page, 'Maya')
  const card = page.getByRole('region', { name: 'Ready to serve?' })
  await card.waitFor()
  expect(await violations(page)).toEqual([])
  expect(await smallTargets(page)).toEqual([])
  expect(await overflowingElements(page)).toEqual([])
  await takeScreenshots(page, 'shift-offer', ['phone', 'tablet'])

  // Requests can still be served meanwhile, and the card may be closed.
  await ask('4', 'check')
  await press(ticket(page, '4'), 'On my way')
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    await takeScreenshot(page, `shift-offer-${name}`)
  }
  await page.setViewportSize(viewports.phone)
  await press(card, 'Not now')
  await card.waitFor({ state: 'hidden' })
  await press(page, 'Me')
  await press(page, 'Start shift')
  const question = page.getByRole('region', { name: 'Heard it?' })
  await press(question, 'No')
  await question.getByText('Turn the volume up').waitFor()
  expect(await violations(page)).toEqual([])
  await takeScreenshots(page, 'shift-unheard', ['phone'])
  await press(question, 'Play again')
  await press(question, 'Yes')
  await question.waitFor({ state: 'hidden' })
  await expect.poll(told).toEqual({ type: 'listening', sound: true, push: false, visible: true })

  await press(page, 'Alerts on this phone off')
  const drawer = page.getByRole('dialog', { name: 'This screen' })
  await drawer.getByText('Screen stays on').waitFor()
  await drawer.getByText('Sound on').waitFor()
  await drawer.getByText('Live').waitFor()
  expect(await violations(page)).toEqual([])
  await takeScreenshots(page, 'shift-screen', ['phone', 'desktop'])
  await page.keyboard.press('Escape')

  // The card is not shown twice a day; one tap turns the sound back on after the reload.
  await page.reload()
  await page.getByRole('button', { name: 'Start shift' }).waitFor()
  await takeScreenshots(page, 'shift-again', ['phone'])
  await press(page, 'Start shift')
  await page.getByRole('button', { name: 'Sound on' }).waitFor()
  expect(await page.getByText('Heard it?').count()).toBe(0)

  await press(page, 'Me')
  await takeScreenshots(page, 'shift-me', ['phone', 'desktop'])
  await press(page, 'End shift')
  const onTheWay = page.getByRole('dialog', { name: 'You are still on the way' })
  await onTheWay.getByText('Table 4. Who goes there').waitFor()
  expect(await violations(page)).toEqual([])
  await takeScreenshots(page, 'shift-end', ['phone', 'desktop'])
  const said = await recordToasts(page)
  await onTheWay.getByRole('radio', { name: 'Give back to everybody' }).click()
  await expect.poll(() => said).toContainEqual(expect.stringMatching(/^Shift ended/u))
  await page.getByRole('button', { name: 'Select your name' }).first().waitFor()
  expect(await page.evaluate(() => localStorage.getItem('crew-member-id'))).toBeNull()
  await choose(page, 'Maya')
  await page.getByRole('region', { name: 'Ready to serve?' }).waitFor()
})

it('keeps working if a part of the page cannot be loaded', async () => {
  await hire('Maya')
  const page = await openCrew({ tolerate: [/\/api\/auth\/user/, /shift-card|device-drawer/u] })
  await page.route(/shift-card|device-drawer/u, (route) => route.abort())
  await page.reload()
  await choose(page, 'Maya')
  await press(page, 'Alerts on this phone off')
  await ask('4')
  await press(ticket(page, '4'), 'On my way')
  await ticket(page, '4').getByText('You’re on it').waitFor()
  await page.unroute(/shift-card|device-drawer/u)
  // Some browsers remember a failed import for as long as the page is open.
  await page.reload()
  await press(page, 'Alerts on this phone off')
  await page.getByRole('dialog', { name: 'This screen' }).waitFor()
})

it('shows on the chip what is wrong, and how to fix it', async () => {
  const page = await openCrew({ tolerate: [/\/api\/auth\/user/, ...serverAwayErrors] })
  await page.evaluate(() => {
    const felt: unknown[] = []
    Object.assign(window, { felt })
    navigator.vibrate = (pattern) => felt.push(pattern) > 0
  })
  await page.getByRole('button', { name: 'Alerts on this phone off' }).click()
  const drawer = page.getByRole('dialog', { name: 'This screen' })
  await drawer.getByText('Screen may go dark').waitFor()
  await press(drawer, 'Test sound')
  await page.keyboard.press('Escape')
  await press(page, 'Sound on')
  await page.getByRole('button', { name: 'Sound off' }).waitFor()
  await page.getByRole('button', { name: 'Alerts on this phone off' }).click()
  await press(drawer, 'Turn sound on')
  await app.pause()
  await drawer.getByText('Check the Wi-Fi.').waitFor()
  await app.start()
  await drawer.getByText('Live', { exact: true }).waitFor()

  await ask('7')
  await expect.poll(() => page.evaluate(() => Reflect.get(window, 'felt'))).toEqual([[200, 100, 200]])
})

/** What the browser makes of a tune: how loud and long it is, and its strength at each frequency. */
async function render(page: Page, tune: string, set: string) {
  const source = stripTypeScriptTypes(await readFile('src/client/lib/tunes.ts', 'utf8'))
  const script = `(async () => {
    ${source.replaceAll('export ', '')}
    const context = new OfflineAudioContext(1, 10_000, 10_000)
    const seconds = playTune(context, '${tune}', '${set}', 0)
    const samples = (await context.startRendering()).getChannelData(0)
    const strengths = []
    // Goertzel's filter for each frequency.
    for (let hertz = 400; hertz <= 4000; hertz += 10) {
      const turn = 2 * Math.cos((2 * Math.PI * hertz) / 10_000)
      let [last, before] = [0, 0]
      for (const sample of samples) [last, before] = [sample + turn * last - before, last]
      strengths.push(Math.sqrt(last * last + before * before - turn * last * before))
    }
    return { seconds, peak: Math.max(...samples.map(Math.abs)), strengths }
  })()`
  return page.evaluate<{ seconds: number; peak: number; strengths: number[] }>(script)
}

/** 1 for the same spectrum, 0 for nothing in common. */
function similarity(a: number[], b: number[]): number {
  const product = (x: number[], y: number[]): number =>
    x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0)
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}

const partialsOf = (strengths: number[]): number[] => {
  const loudest = Math.max(...strengths)
  return strengths.flatMap((strength, i) =>
    strength > loudest / 8 && strength >= (strengths[i - 1] ?? 0) && strength > (strengths[i + 1] ?? 0)
      ? [400 + i * 10]
      : [],
  )
}

it('sounds each urgency, set and message so that they can be told apart in a loud room', async () => {
  const page = await openPage()
  const alarms: (Awaited<ReturnType<typeof render>> & { name: string; tune: string })[] = []
  for (const set of alarmSets) {
    for (const tune of ['new', 'again', 'urgent'])
      alarms.push({ name: `${set} ${tune}`, tune, ...(await render(page, tune, set)) })
  }
  const named = (wrong: typeof alarms): string[] => wrong.map(({ name }) => name)
  expect(named(alarms.filter(({ seconds }) => seconds < 0.25 || seconds > 1))).toEqual([])
  expect(named(alarms.filter(({ peak, tune }) => peak < (tune === 'again' ? 0.3 : 0.5) || peak > 1))).toEqual(
    [],
  )
  const audible = (strengths: number[]): number[] => partialsOf(strengths).filter((hertz) => hertz >= 500)
  expect(named(alarms.filter(({ strengths }) => audible(strengths).length < 4))).toEqual([])
  const sounds = [
    ...alarms,
    { name: 'message', ...(await render(page, 'message', 'bells')) },
    { name: 'call', ...(await render(page, 'call', 'bells')) },
  ]
  const alike = alarms.flatMap((alarm, index) =>
    sounds
      .slice(index + 1)
      .filter((other) => similarity(alarm.strengths, other.strengths) > 0.75)
      .map((other) => `${alarm.name} is like ${other.name}`),
  )
  expect(alike).toEqual([])
})

it('does not claim that the screen stays on if the browser refuses it', async () => {
  await hire('Maya')
  const page = await openCrew()
  await page.context().clearPermissions()
  await page.context().grantPermissions(['geolocation'])
  await choose(page, 'Maya')
  await press(page.getByRole('region', { name: 'Ready to serve?' }), 'Start shift')
  await page.getByRole('button', { name: 'Alerts on this phone off' }).click()
  const drawer = page.getByRole('dialog', { name: 'This screen' })
  await drawer.getByText('The browser does not keep it on now.').waitFor()
})

it('notifies the sleeping phone, from the same tap on, until the shift ends', async () => {
  await hire('Maya')
  const page = await openCrew({ viewport: viewports.phone, serviceWorkers: 'allow' })
  const told = listening(page)
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  await fakePushSubscription(page, { endpoint: 'https://push.example.com/maya', keys })
  await startShift(page)
  await page.getByRole('region', { name: 'Heard it?' }).getByText('Alerts on this phone on').waitFor()
  await press(page, 'Yes')
  await press(page, 'Me')
  const bell = page.getByRole('button', { name: 'Alerts on this phone on' })
  await bell.waitFor()
  const full = { type: 'listening', sound: true, push: true, visible: true }
  await expect.poll(told).toEqual(full)
  await bell.click()
  await press(page, 'Turn alerts off')
  await expect.poll(told).toEqual({ ...full, push: false })
  await press(page, 'Turn alerts on')
  await expect.poll(told).toEqual(full)
  await page.keyboard.press('Escape')
  await press(page, 'End shift')
  await expect.poll(told).toEqual({ ...full, sound: false, push: false })
  await press(page, 'Me')
  await page.getByRole('button', { name: 'Alerts on this phone off' }).waitFor()
})

const androidPhone: PageOptions = {
  userAgent: 'Android 15 Chrome Mobile',
  hasTouch: true,
  viewport: viewports.phone,
  serviceWorkers: 'allow',
}
const iphone = { userAgent: 'iPhone OS 18_5 Safari', hasTouch: true, viewport: viewports.phone }

/** Looks at the card in every size of screen and text that a crew has. */
async function inspectCard(page: Page, name: string): Promise<void> {
  const landscape = { width: 844, height: 390 }
  for (const textSize of [16, 32]) {
    await setTextSize(page, textSize)
    for (const size of [{ width: 320, height: 640 }, viewports.phone, landscape]) {
      await page.setViewportSize(size)
      // Media queries are evaluated for the new size in the next frame.
      await page.evaluate(async () => {
        scrollTo(0, 0)
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      })
      expect({ ...size, textSize, clipped: await clippedTexts(page) }).toEqual({
        ...size,
        textSize,
        clipped: [],
      })
      await takeScreenshot(page, `${name}-${size.width}-${textSize}`)
    }
  }
  await page.setViewportSize({ width: 390, height: 3000 })
  expect(await violations(page)).toEqual([])
  expect(await smallTargets(page)).toEqual([])
  await setTextSize(page, 16)
  await page.setViewportSize(viewports.phone)
}

it('asks apart whether the sound was heard and the alert seen, and helps with each', async () => {
  await hire('Maya')
  await hire('Leo')
  const page = await openCrew(androidPhone)
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  await fakePushSubscription(page, { endpoint: 'https://push.example.com/maya', keys })
  await startShift(page)
  const heard = page.getByRole('region', { name: 'Heard it?' })
  await heard.getByText('Alerts on this phone on').waitFor()
  await heard.getByText('it sounds as long as “Listening for requests” is shown').waitFor()
  await press(heard, 'No')
  await heard.getByText('it is the volume of media').waitFor()
  await inspectCard(page, 'shift-unheard')
  await press(heard, 'Play again')
  // The second tap of a double tap answers no second question.
  await heard.getByRole('button', { name: 'Yes' }).dblclick()

  const seen = page.getByRole('region', { name: 'Seen the alert?' })
  const shown = () =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.getRegistration()
      return (await worker?.getNotifications())?.map(({ body }) => body)
    })
  await expect.poll(shown).toEqual(['This is how a request calls you.'])
  await inspectCard(page, 'shift-alert')
  await press(seen, 'No')
  await seen.getByText('keep battery saving from stopping the browser').waitFor()
  await inspectCard(page, 'shift-unseen')
  await press(seen, 'Show again')
  await expect.poll(shown).toEqual(['This is how a request calls you.'])
  await seen.getByText('A test alert should be among your notifications now.').waitFor()
  await seen.getByRole('button', { name: 'Yes' }).press('Enter')
  await seen.waitFor({ state: 'hidden' })
  await expect.poll(shown).toEqual([])
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Service Requests')

  // Where there are no alerts, nothing is asked about them.
  const other = await openCrew(iphone)
  await choose(other, 'Leo')
  await press(other, 'Start shift')
  const otherHeard = other.getByRole('region', { name: 'Heard it?' })
  await otherHeard.getByText('While the screen sleeps, only alerts call you.').waitFor()
  await press(otherHeard, 'No')
  await otherHeard.getByText('silent mode off').waitFor()
  await inspectCard(other, 'shift-unheard-iphone')
  await press(otherHeard, 'Yes')
  await otherHeard.waitFor({ state: 'hidden' })
  expect(await other.getByText('Seen the alert?').count()).toBe(0)
})

/** Headless browsers have no voice. What is played is the browser's own. */
function recordSpeech(): void {
  const heard: { said: string[]; audio: HTMLMediaElement | null } = { said: [], audio: null }
  Object.assign(window, { heard })
  Object.assign(speechSynthesis, {
    getVoices: () => [{}],
    speak: ({ text }: SpeechSynthesisUtterance) => heard.said.push(text),
  })
  const play = Reflect.get(HTMLMediaElement.prototype, 'play')
  HTMLMediaElement.prototype.play = function () {
    heard.audio = this
    return play.call(this)
  }
}

it('says what it calls for, and keeps a sleeping phone sounding until the shift ends', async () => {
  await hire('Maya')
  await hire('Leo')
  const page = await openCrew(androidPhone)
  const leo = await openCrew()
  await choose(leo, 'Leo')
  await page.addInitScript(recordSpeech)
  // From then on its files come from the worker.
  const isKept = () => page.evaluate(async () => (await caches.match('/waiter')) !== undefined)
  await expect.poll(isKept).toBe(true)
  await startShift(page)
  await press(page, 'Yes')
  await press(page, 'Me')
  await press(page, 'Alerts on this phone off')
  const said = () => page.evaluate(() => Reflect.get(window, 'heard').said)
  const spoken = page.getByRole('checkbox', { name: 'Spoken alerts' })
  await spoken.check()
  await expect.poll(said).toEqual(['Table 7, check'])
  await takeScreenshots(page, 'shift-spoken', ['smallPhone', 'desktop'])
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')

  await ask('12', 'drinks')
  await expect.poll(said).toEqual(['Table 7, check', 'Table 12, drinks'])
  await press(ticket(leo, '12'), 'On my way')
  await press(page, 'Requests')
  await ticket(page, '12').getByText('Leo is on the way').waitFor()

  const playing = () =>
    page.evaluate(() => {
      const { paused, loop, currentTime }: HTMLAudioElement = Reflect.get(window, 'heard').audio
      return { loop, plays: !paused && currentTime > 0 && currentTime < 3 }
    })
  await expect.poll(playing).toEqual({ loop: true, plays: true })
  // It begins again at its end.
  await page.evaluate(() => {
    Reflect.get(window, 'heard').audio.currentTime = 5.8
  })
  await expect.poll(playing).toEqual({ loop: true, plays: true })
  const { seconds, peak, rms } = await page.evaluate(async () => {
    const file = await fetch(Reflect.get(window, 'heard').audio.src)
    const buffer = await new OfflineAudioContext(1, 1, 8_000).decodeAudioData(await file.arrayBuffer())
    const samples = buffer.getChannelData(0)
    const squares = samples.reduce((sum, sample) => sum + sample * sample, 0)
    const decibels = (value: number) => 20 * Math.log10(value)
    return {
      seconds: buffer.duration,
      peak: decibels(Math.max(...samples)),
      rms: decibels(Math.sqrt(squares / samples.length)),
    }
  })
  // Browsers show what lasts 5 s, and take -72 dBFS for silence.
  expect(seconds).toBeGreaterThan(5)
  expect(peak).toBeLessThan(-59)
  expect(rms).toBeGreaterThan(-65)

  const toasts = await recordToasts(page)
  await press(page, 'Me')
  await press(page, 'End shift')
  await expect.poll(() => toasts).toContainEqual(expect.stringMatching(/^Shift ended/u))
  const player = () =>
    page.evaluate(() => {
      const audio: HTMLAudioElement = Reflect.get(window, 'heard').audio
      return { paused: audio.paused, src: audio.getAttribute('src'), title: navigator.mediaSession.metadata }
    })
  await expect.poll(player).toEqual({ paused: true, src: null, title: null })
})

it('ends the shift even if the push service does not answer, and ignores a late answer', async () => {
  await hire('Maya')
  const page = await openCrew({ viewport: viewports.phone, serviceWorkers: 'allow' })
  const endpoint = 'https://push.example.com/slow'
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  await fakePushSubscription(page, { endpoint, keys }, { held: true })
  await startShift(page)
  await press(page, 'Yes')
  const said = await recordToasts(page)
  await press(page, 'Me')
  await press(page, 'End shift')
  await expect.poll(() => said).toContainEqual(expect.stringMatching(/^Shift ended/u))
  await answerPushSubscription(page)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('subscribed-with'))).toBeNull()
  await press(page, 'Me')
  await page.getByRole('button', { name: 'Alerts on this phone off' }).waitFor()
  const stored = app.ctx.db.reader.selectFrom('pushSubscription').where('endpoint', '=', endpoint)
  expect(await stored.select('crewMemberId').execute()).toEqual([])
})

/** Drags a ticket with the mouse, and keeps the button down. */
async function drag(page: Page, table: string, by: { x: number; y?: number }): Promise<void> {
  const box = await ticket(page, table).boundingBox()
  if (!box) throw new Error('The ticket is not on the screen')
  const { mouse } = page
  await mouse.move(box.x + 120, box.y + 20)
  await mouse.down()
  await mouse.move(box.x + 120 + by.x, box.y + 20 + (by.y ?? 0), { steps: 4 })
}

/** Strokes the screen with a finger, starting on a ticket. */
async function stroke(page: Page, table: string, by: { x: number; y: number }): Promise<void> {
  const box = await ticket(page, table).boundingBox()
  if (!box) throw new Error('The ticket is not on the screen')
  const glass = await page.context().newCDPSession(page)
  const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', part: number): Promise<void> => {
    const at = { x: box.x + 100 + by.x * part, y: box.y + 90 + by.y * part }
    await glass.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [at] })
  }
  await touch('touchStart', 0)
  for (const part of [0.2, 0.4, 0.6, 0.8, 1]) await touch('touchMove', part)
  await touch('touchEnd', 1)
}

it('completes by a swipe to the right, and still scrolls up and down', async () => {
  await neverEscalate(restaurant)
  // Before the page opens: the finger could touch a toast.
  for (const table of ['1', '2', '3', '4', '5', '6']) await ask(table)
  const page = await openCrew({
    viewport: viewports.phone,
    hasTouch: true,
    isMobile: true,
    // The browser's warning when a toast tries to follow a finger that is already scrolling.
    tolerate: [/\/api\/auth\/user/, /Ignored attempt to cancel a touchmove/],
  })
  await page.getByText('6 Active').waitFor()
  // Whatever changes the list may make it ignore a finger for a moment.
  const unseen = async () =>
    (await pendingRequests(restaurant.device)).requests.filter(({ seen }) => seen === 0)
  await expect.poll(unseen).toEqual([])
  const top = (): Promise<number> => page.evaluate(() => scrollY)
  await page.evaluate(() => {
    addEventListener('scrollend', () => document.body.setAttribute('data-rests', ''), { once: true })
  })
  await stroke(page, '2', { x: 10, y: -200 })
  await page.locator('[data-rests]').waitFor()
  expect(await top()).toBeGreaterThan(100)
  // Momentum differs between browsers. No ticket may be above the viewport, or its removal would scroll the page.
  await page.evaluate(() => scrollTo(0, 150))
  const scrolled = await top()
  await stroke(page, '3', { x: 40, y: 4 })
  await page.getByText('6 Active').waitFor()
  await stroke(page, '3', { x: 150, y: 10 })
  await ticket(page, '3').waitFor({ state: 'detached' })
  await page.getByText('5 Active').waitFor()
  await expect.poll(async () => Math.abs((await top()) - scrolled)).toBeLessThan(60)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
})

it('completes by dragging with a mouse, and lists the keyboard shortcuts', async () => {
  const page = await openCrew()
  for (const table of ['1', '2', '3', '4']) await ask(table, table === '3' ? 'food' : 'drinks')
  await page.getByText('4 Active').waitFor()
  await drag(page, '1', { x: 50 })
  await takeScreenshots(page, 'swipe', ['desktop'])
  await page.mouse.up()
  await drag(page, '1', { x: -200 })
  await page.mouse.up()
  await page.getByText('4 Active').waitFor()
  // Releasing the button outside the ticket also ends the drag.
  await drag(page, '4', { x: 0, y: 20 })
  await page.mouse.move(4, 4)
  await page.mouse.up()
  const box = await ticket(page, '2').boundingBox()
  await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 20, { steps: 4 })
  expect(await page.locator('[data-dragged]').count()).toBe(0)
  await drag(page, '1', { x: 70 })
  await takeScreenshot(page, 'swipe-meant')
  await page.mouse.up()
  // It stays while the mouse is on it.
  await toast(page).getByText('Table 1 complete').hover()
  await page.getByText('3 Active').waitFor()
  await ticket(page, '1').waitFor({ state: 'detached' })
  await press(toast(page), 'Undo')
  await page.getByText('4 Active').waitFor()

  await page.locator('body').press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await list.getByText('Mark Complete').waitFor()
  expect(await violations(page)).toEqual([])
  await takeScreenshots(page, 'shortcuts', ['desktop'])
})

it('hands the tables over for a break, and takes them back', async () => {
  await hire('Maya')
  await hire('Leo')
  const [maya, leo] = [await openCrew(), await openCrew()]
  await choose(maya, 'Maya')
  await choose(leo, 'Leo')
  await press(maya, 'Going on break')
  const drawer = maya.getByRole('dialog', { name: 'Going on break' })
  const toldLeo = await recordToasts(leo)
  await drawer.getByRole('radio', { name: 'Everybody' }).waitFor()
  expect(await violations(maya)).toEqual([])
  await drawer.getByRole('radio', { name: 'Leo' }).click()
  await maya.getByText('You are on a break · Leo covers').waitFor()
  await expect.poll(() => toldLeo).toContainEqual(expect.stringMatching(/^You cover for Maya/u))
  const covers = leo.locator('#content').getByText('You cover for Maya')
  await covers.waitFor()
  // A shortcut leads to the messages, where typed letters are text and not shortcuts.
  await ask('1')
  await maya.getByText('1 Active').waitFor()
  await drawer.waitFor({ state: 'hidden' })
  await maya.locator('body').press('m')
  const search = maya.getByPlaceholder('Search contacts...')
  await search.and(maya.locator(':focus')).waitFor()
  await maya.keyboard.type('cle')
  await expect.poll(() => search.inputValue()).toBe('cle')
  await maya.getByText('1 Active').waitFor()
  await press(maya, 'Back from break')
  await covers.waitFor({ state: 'hidden' })
  await maya.getByRole('button', { name: 'Going on break' }).waitFor()
})

it('keeps a break that is tapped without a connection', async () => {
  await hire('Maya')
  await hire('Leo')
  const network = await openNetwork(app)
  const tolerate = [/\/api\/auth\/user/, ...serverAwayErrors]
  const page = await openCrew({ ...network.options, tolerate })
  await choose(page, 'Maya')
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('break-drawer')),
  )
  network.switchTo('away')
  await page.getByText('Reconnecting…').waitFor()
  await press(page, 'Going on break')
  await page.getByRole('dialog').getByRole('radio', { name: 'Leo' }).click()
  await page.getByText('Kept: your break begins when the connection is back').waitFor()
  await page.getByRole('button', { name: 'Back from break' }).waitFor()
  network.switchTo('up')
  await page.getByText('You are on a break · Leo covers').waitFor()
})

const wall = {
  wide: { width: 1920, height: 1080 },
  tall: { width: 1080, height: 1920 },
}

/** The tickets whose text does not fit. */
const cutPlaces = (page: Page): Promise<string[]> =>
  page
    .locator('.wall-ticket')
    .evaluateAll((all) =>
      all
        .filter((item) => item.scrollHeight > item.clientHeight || item.scrollWidth > item.clientWidth)
        .map(({ textContent }) => textContent),
    )

it('shows open requests on the wall, oldest first, and how many do not fit', async () => {
  await ask('By the fountain', 'assistance', 6)
  await ask('Patio 3', 'check', 0.6)
  await ask('12', 'food')
  await ask('7', 'general')
  const crew = await openCrew()
  const page = await openCrew({ viewport: wall.wide }, '/waiter?display')
  await page.getByText('4 Active').waitFor()
  const tables = (): Promise<string[]> => page.getByRole('heading', { level: 2 }).allTextContents()
  await expect.poll(tables).toEqual(['Table By the fountain', 'Table Patio 3', 'Table 12', 'Table 7'])
  await press(ticket(crew, '12'), 'On my way')
  await ticket(page, '12').getByText('Crew is on the way').waitFor()
  await expect.poll(() => page.getByRole('button').allInnerTexts()).toEqual(['Full screen', 'Leave display'])
  expect(await violations(page)).toEqual([])
  for (const [name, size] of Object.entries(wall)) {
    await page.setViewportSize(size)
    await takeScreenshot(page, `wall-few-${name}`)
  }

  const needsOf = (table: number): ServiceType => (table % 2 ? 'drinks' : 'check')
  for (let table = 13; table <= 20; table += 1) await ask(`${table}`, needsOf(table))
  await page.getByText('12 Active').waitFor()
  for (const size of Object.values(wall)) {
    await page.setViewportSize(size)
    await expect.poll(() => countLines(ticket(page, '20').locator('.wall-number'))).toBe(1)
    await expect.poll(() => cutPlaces(page)).toEqual([])
  }

  for (let table = 21; table <= 40; table += 1) await ask(`${table}`, needsOf(table))
  for (let table = 1; table <= 6; table += 1) await ask(`${table}`, 'other')
  await ask('8')
  await ask('9')
  for (const [name, size, more] of [
    ['wide', wall.wide, '+15 more'],
    ['tall', wall.tall, '+13 more'],
  ] as const) {
    await page.setViewportSize(size)
    await page.getByText(more, { exact: true }).waitFor()
    await takeScreenshot(page, `wall-many-${name}`)
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight > innerHeight))
      .toBe(false)
  }
  // Controls that fade out meanwhile have too little contrast for a moment.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await violations(page)).toEqual([])
  expect(await overflowingElements(page)).toEqual([])
  await page.mouse.move(100, 100)
  await press(page, 'Leave display')
  await page.getByRole('heading', { name: 'Crew Dashboard' }).waitFor()
  await expect.poll(() => page.url()).toBe(`${app.url}/waiter`)
})

it('hides the controls of a wall that nobody touches, and brings them back', async () => {
  const page = await openCrew({ viewport: wall.wide, hasTouch: true }, '/waiter?display')
  const controls = page.locator('.wall-controls')
  const opacity = () => controls.evaluate((element) => getComputedStyle(element).opacity)
  const become = async (value: string): Promise<void> => {
    await expect.poll(opacity).toBe(value)
  }
  const leave = page.getByRole('button', { name: 'Leave display' })
  await become('0')
  const { x = 0, y = 0 } = (await leave.boundingBox()) ?? {}
  // The first tap only brings them back.
  await page.touchscreen.tap(x + 20, y + 20)
  await become('1')
  expect(page.url()).toContain('display')
  await become('0')
  await page.mouse.move(100, 100)
  await become('1')
  await become('0')
  expect(await violations(page)).toEqual([])

  // The keyboard reaches them, and they stay while it does.
  await page.keyboard.press('Tab')
  await become('1')
  await leave.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Crew Dashboard' }).waitFor()
})
