import Volume2 from 'lucide-react/icons/volume-2'
import VolumeX from 'lucide-react/icons/volume-x'
import { type JSX } from 'react'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import type { Chime, SoundState } from './chime.ts'

const soundLabels: Record<SoundState, string> = {
  on: 'Sound on',
  off: 'Sound off',
  locked: 'Tap for sound',
  unavailable: 'No sound here',
}

/** Shows whether a request can be heard here right now, and turns the sound on and off. */
export function SoundButton({
  chime,
  sound,
  words = true,
}: {
  chime: Chime
  sound: SoundState
  /** Beside the icon. */
  words?: boolean
}): JSX.Element {
  const Icon = sound === 'on' ? Volume2 : VolumeX
  return (
    <Button
      variant="quiet"
      size={44}
      disabled={sound === 'unavailable'}
      icon={<Icon aria-hidden className={sound === 'on' ? undefined : 'text-late'} />}
      onClick={() => chime.toggle()}
    >
      <span className={words ? undefined : 'sr-only'}>{t(soundLabels[sound])}</span>
    </Button>
  )
}
