import { Evening, tickMs } from '../evening/evening.ts'
import { deleteRequest, tellLie } from '../evening/plant.ts'
import type { VirtualTime } from '../virtual-time.ts'
import type { Command } from './commands.ts'
import { show } from './show.ts'
import type { View } from './view.ts'

/** After so much real time of playing, the page's calls have their turn. */
const sliceMs = 40
/** What could not be played within it is left out, so that a slow machine plays slower instead of never resting. */
const mostOwedRealMs = 200
const stepMs = 5_000
/** Where the evening is slow, what has happened is told sooner. */
const slow = { speed: 10, checkMs: 1_000 }
const usualCheckMs = 5_000

type Viewer = { everyMs: number; sentAt: number; send: (view: View) => void }

/** The machine's own time, which goes on while the simulation's stands still. */
export type RealTime = { now: () => number; wait: (ms: number) => Promise<void> }

/** Plays an evening in real time while anybody watches, and does what they ask for between two of its moments. */
export class Stage {
  #time: VirtualTime
  #place: { folder: string; template: string }
  #real: RealTime
  #evening: Evening
  #viewers = new Set<Viewer>()
  #isPaused = false
  #isClosed = false
  #speed = 60
  #reached = 0
  #wake = Promise.withResolvers<void>()
  /** One thing after the other happens to the evening. */
  #turn: Promise<unknown> = Promise.resolve()

  private constructor(
    time: VirtualTime,
    place: { folder: string; template: string },
    real: RealTime,
    evening: Evening,
  ) {
    this.#time = time
    this.#place = place
    this.#real = real
    this.#evening = evening
  }

  static async open(
    time: VirtualTime,
    place: { folder: string; template: string },
    seed: number,
    real: RealTime,
  ): Promise<Stage> {
    return new Stage(time, place, real, await Evening.open(time, place, seed))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake.resolve()
    await this.#inTurn(() => this.#evening.close())
  }

  /** Sends what there is to see from now on, at most this often. Returns what ends it. */
  watch(everyMs: number, send: (view: View) => void): () => void {
    const viewer = { everyMs, sentAt: Number.NEGATIVE_INFINITY, send }
    this.#viewers.add(viewer)
    void this.#inTurn(() => this.#showAll())
    this.#wake.resolve()
    return () => this.#viewers.delete(viewer)
  }

  get #isPlaying(): boolean {
    return !this.#isPaused && this.#viewers.size > 0 && !this.#evening.isOver
  }

  /** Until it is closed. */
  async play(): Promise<void> {
    const { now, wait } = this.#real
    let owedMs = 0
    let last = now()
    let second = { since: last, played: 0 }
    while (!this.#isClosed) {
      if (!this.#isPlaying) {
        this.#wake = Promise.withResolvers()
        await this.#wake.promise
        last = now()
        second = { since: last, played: 0 }
        continue
      }
      const began = now()
      owedMs = Math.min(owedMs + (began - last) * this.#speed, Math.max(tickMs, mostOwedRealMs * this.#speed))
      last = began
      while (owedMs >= tickMs && now() - began < sliceMs && this.#isPlaying && !this.#isClosed) {
        await this.#inTurn(() => this.#evening.tick())
        owedMs -= tickMs
        second.played += tickMs
      }
      const realMs = now() - second.since
      if (realMs >= 1_000) {
        this.#reached = second.played / realMs
        second = { since: now(), played: 0 }
      }
      await this.#inTurn(() => this.#showAll(false))
      await wait(owedMs >= tickMs ? 0 : Math.min(250, (tickMs - owedMs) / this.#speed))
    }
    await this.#turn
  }

  /** Those who have just seen it see it later, unless something was asked for. */
  async #showAll(isAsked = true): Promise<void> {
    const now = this.#real.now()
    const due = [...this.#viewers].filter(
      ({ everyMs, sentAt }) => isAsked || now - sentAt >= everyMs || this.#evening.isOver,
    )
    if (due.length === 0) return
    const view = await show(this.#evening, {
      isPaused: this.#isPaused,
      speed: { asked: this.#speed, reached: this.#reached },
    })
    for (const viewer of due) {
      viewer.sentAt = now
      viewer.send(view)
    }
  }

  /** Returns what to tell whoever asked. */
  async do(command: Command): Promise<string> {
    const said = await this.#inTurn(() => this.#perform(command))
    await this.#inTurn(() => this.#showAll())
    this.#wake.resolve()
    return said
  }

  async #perform(command: Command): Promise<string> {
    const evening = this.#evening
    switch (command.do) {
      case 'pause':
        this.#isPaused = true
        return 'Paused'
      case 'continue':
        this.#isPaused = false
        return 'Goes on'
      case 'step':
        this.#isPaused = true
        for (let left = stepMs; left > 0 && !evening.isOver; left -= tickMs) await evening.tick()
        await evening.check()
        return 'Five seconds have passed'
      case 'new-evening': {
        const { seed, settings } = evening
        await evening.close()
        this.#evening = await Evening.open(this.#time, this.#place, seed + 1, settings)
        this.#isPaused = false
        return 'A new evening begins'
      }
      case 'set': {
        const { speed = this.#speed, rush, staff, losses } = command
        this.#speed = speed
        evening.checkMs = speed <= slow.speed ? slow.checkMs : usualCheckMs
        const { settings } = evening
        await evening.set({
          rush: rush ?? settings.rush,
          staff: staff ?? settings.staff,
          losses: losses ?? settings.losses,
        })
        return ''
      }
      case 'cut':
        evening.take(command.who)
        break
      case 'freeze':
        evening.freeze(command.who)
        break
      case 'give-back':
        evening.giveBack(command.who)
        break
      case 'stop':
      case 'kill':
        await evening.restart(command.do)
        break
      case 'lose-push':
        evening.losePushes()
        break
      case 'regain-push':
        await evening.regainPushes()
        break
      case 'tell-lie':
        return (await tellLie(evening)) ? 'A guest was told a lie' : 'No guest waits right now'
      case 'delete-request':
        return (await deleteRequest(evening)) ? 'A request was deleted' : 'No request waits right now'
      default:
        throw new Error(`No such command: ${JSON.stringify(command satisfies never)}`)
    }
    return evening.log.entries.findLast(({ tone }) => tone === 'break')?.text ?? ''
  }
}
