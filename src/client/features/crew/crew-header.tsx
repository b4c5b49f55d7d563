import House from 'lucide-react/icons/house'
import VolumeX from 'lucide-react/icons/volume-x'
import type { JSX, RefObject } from 'react'
import { useLocation } from 'wouter'
import type { CrewMember } from '#contract/crew/crew.ts'
import { firstName } from '#contract/names.ts'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { useMedia } from '../../lib/hooks/use-media.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { wordShape } from '../../ui/requests/table-number.tsx'
import { ConnectionStatus } from './connection-status.tsx'
import { coversTop } from './covers.ts'
import type { DeviceDrawerProps } from './device/device-drawer.tsx'
import { SoundButton } from './device/sound-button.tsx'
import { ActiveCount } from './requests/active-count.tsx'

const AlertsButton = lazyPart(async () => (await import('./device/alerts-button.tsx')).AlertsButton)

type CrewHeaderProps = Omit<DeviceDrawerProps, 'open' | 'onOpenChange'> & {
  heading: RefObject<HTMLHeadingElement | null>
  member: CrewMember | null
  onBreak: boolean
  /** A wide screen shows the count beside its list. */
  wide: boolean
}

/** One line, whatever stands in it. */
export function CrewHeader({ heading, member, onBreak, wide, ...device }: CrewHeaderProps): JSX.Element {
  const [, navigate] = useLocation()
  const roomy = useMedia('(width >= 48rem)')
  const words = useMedia('(width >= 80rem)')
  const nameAndRole = member && t('{name}, {role}', { name: member.name, role: t(member.role) })
  const shownName = roomy ? nameAndRole : firstName(member?.name)
  const goHome = (): void => navigate('/portal-selection')
  return (
    <header ref={coversTop} className="crew-header">
      <div className="crew-lead">
        <h1 ref={heading} tabIndex={-1} className={roomy ? undefined : 'sr-only'}>
          {t('Crew Dashboard')}
        </h1>
        <ConnectionStatus brief={!roomy} hasBanner />
        <p className="crew-name whole-words" style={wordShape(shownName ?? '')}>
          {member && !roomy && <bdi aria-hidden>{shownName}</bdi>}
          {/* The page's direction decides which comes first. */}
          {member && <span className={roomy ? 'text-text-mute' : 'sr-only'}>{nameAndRole}</span>}
          {onBreak && <span className="text-base text-text-mute"> · {t('on a break')}</span>}
        </p>
      </div>
      {!wide && <ActiveCount />}
      <StartOrSound shift={device.shift} words={words} />
      {wide && <AlertsButton {...device} look={words ? 'words' : 'icon'} />}
      <Button variant="quiet" size={44} icon={<House aria-hidden />} onClick={goHome}>
        <span className={words ? undefined : 'sr-only'}>{t('Home')}</span>
      </Button>
    </header>
  )
}

/** Whether requests can be heard here right now. After a reload one tap is what a shift needs to be heard again. */
function StartOrSound({ shift, words }: Pick<DeviceDrawerProps, 'shift'> & { words: boolean }): JSX.Element {
  const { flow, chime, sound, start } = shift
  return sound === 'locked' && flow.started ? (
    <Button variant="primary" size={44} icon={<VolumeX aria-hidden className="shrink-0" />} onClick={start}>
      <span className={words ? undefined : 'sr-only'}>{t('Start shift')}</span>
    </Button>
  ) : (
    <SoundButton chime={chime} sound={sound} words={words} />
  )
}
