import { useEffect } from 'react'
import { isAndroid } from '../../../lib/browser/platform.ts'
import { t } from '../../../lib/texts/translate.ts'
/** 6 s of 30 Hz at -60 dBFS: nobody hears it, but browsers do not count it as silence. */
import toneUrl from './keep-alive.wav?url'

/** While mounted, an Android phone goes on running the page and its sounds when its screen sleeps. */
export function KeepAlive(): null {
  useEffect(() => {
    if (!isAndroid()) return undefined
    const stopping = new AbortController()
    keepPlaying(stopping.signal)
    return () => stopping.abort()
  }, [])
  return null
}

/** The browser repeats the tone by itself. If it may not play yet, or a call has paused it, the next touch starts it. */
function keepPlaying(signal: AbortSignal): void {
  const audio = new Audio(toneUrl)
  audio.loop = true
  const play = (): void => {
    if (audio.paused) audio.play().catch(() => undefined)
  }
  play()
  window.addEventListener('pointerup', play, { signal })
  if ('mediaSession' in navigator)
    navigator.mediaSession.metadata = new MediaMetadata({
      title: t('Listening for requests'),
      artist: 'Tableside',
    })
  signal.addEventListener('abort', () => {
    audio.pause()
    // Otherwise the phone goes on showing it as paused.
    audio.removeAttribute('src')
    audio.load()
    if ('mediaSession' in navigator) navigator.mediaSession.metadata = null
  })
}
