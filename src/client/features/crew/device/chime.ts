import { type AlarmSet, playTune, type Tune } from '../../../lib/tunes.ts'

declare global {
  interface Navigator {
    /** Only Safari has it. */
    readonly audioSession?: { type: 'auto' | 'playback' }
  }
}

/** `locked`: browsers keep a page silent until it is touched. */
export type SoundState = 'on' | 'off' | 'locked' | 'unavailable'

/** Keeps the test sound and an alert that waited for it from playing at the same time. */
const minRepeatSeconds = 0.5
/** Ready but silent for a whole shift, it wakes the device for each piece. Browsers hold three, so an alert waits for 0.1 s. */
const pieceSeconds = 0.03
/** At the end of a touch: the layout change that follows must not move a button away from under the finger. */
const unlockEvents = ['pointerup', 'keydown'] as const

/** The sound of one screen. `sound` tells what would really be heard. */
export class Chime {
  #context: AudioContext | null = null
  #wanted = true
  #sound: SoundState = typeof AudioContext === 'undefined' ? 'unavailable' : 'locked'
  #touches = 0
  #unlockedBy = -1
  #alarmSet: AlarmSet = 'bells'
  #played: { tune: Tune; at: number } | null = null
  #listeners = new Set<() => void>()

  get sound(): SoundState {
    return this.#sound
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Unlocks the sound on a touch or key, now and whenever the device has silenced the page again. */
  listen(): () => void {
    const stopping = new AbortController()
    const { signal } = stopping
    window.addEventListener('pointerdown', this.#createContext, { capture: true, signal })
    for (const gesture of unlockEvents)
      window.addEventListener(gesture, this.#handleTouch, { capture: true, signal })
    document.addEventListener('visibilitychange', this.#resumeIfSuspended, { signal })
    return () => {
      stopping.abort()
      this.#closeContext()
      setAudioSession('auto')
    }
  }

  /** The touch that unlocked the sound may be on the button that turns it off: it must not do both. */
  toggle(): void {
    if (this.#sound === 'on' && this.#unlockedBy === this.#touches) return
    this.#wanted = !this.#wanted
    this.#update()
  }

  /** Must be called from a tap: turns the sound on and plays a test. */
  async start(): Promise<void> {
    this.#wanted = true
    await this.#unlock()
    this.play('new')
  }

  play(tune: Tune): void {
    const context = this.#context
    if (this.#sound !== 'on' || !context) return
    const at = context.currentTime
    if (this.#played?.tune === tune && at - this.#played.at < minRepeatSeconds) return
    this.#played = { tune, at }
    playTune(context, tune, this.#alarmSet, at)
  }

  setAlarmSet(set: AlarmSet): void {
    this.#alarmSet = set
  }

  /** Takes slow devices a tenth of a second, so it runs on pointer down, before the tap has to be answered. */
  #createContext = (): void => {
    if (this.#sound === 'unavailable') return
    if (this.#wanted) setAudioSession('playback')
    // Safari does not resume what a call or a locked screen has interrupted.
    if (this.#context?.state === 'interrupted') this.#closeContext()
    this.#context ??= new AudioContext({ latencyHint: pieceSeconds })
  }

  #closeContext(): void {
    const context = this.#context
    this.#context = null
    // The next one's time starts at zero again.
    this.#played = null
    context?.close().catch(logPlaybackError)
  }

  #unlock = async (): Promise<void> => {
    this.#createContext()
    if (!this.#context) return
    this.#context.addEventListener('statechange', this.#handleStateChange)
    if (this.#context.state !== 'running') await this.#context.resume().catch(logPlaybackError)
    this.#update()
  }

  #handleTouch = (): void => {
    this.#touches += 1
    void this.#unlock()
  }

  #handleStateChange = (): void => {
    this.#update()
    this.#resumeIfSuspended()
  }

  /** After a call the browser may leave the sound off, and lets the page turn it on again. */
  #resumeIfSuspended = (): void => {
    if (this.#wanted && !document.hidden && this.#context?.state === 'suspended')
      this.#context.resume().catch(logPlaybackError)
  }

  #update = (): void => {
    if (this.#sound === 'unavailable') return
    setAudioSession(this.#wanted ? 'playback' : 'auto')
    const before = this.#sound
    const running = this.#context?.state === 'running'
    this.#sound = this.#wanted ? (running ? 'on' : 'locked') : 'off'
    if (before === this.#sound) return
    if (before === 'locked') this.#unlockedBy = this.#touches
    for (const listener of this.#listeners) listener()
  }
}

const logPlaybackError = (error: unknown): void => console.error('The sound could not be played', error)

/** An iPhone's silent switch mutes a page that does not say that it plays something. */
function setAudioSession(type: 'auto' | 'playback'): void {
  if (navigator.audioSession) navigator.audioSession.type = type
}
