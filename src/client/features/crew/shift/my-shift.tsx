import { type JSX, memo, useMemo } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import { useConnection } from '../../../api/live/use-live.ts'
import { lazyPart } from '../../../lib/hooks/lazy.tsx'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { useRequestsOnScreen } from '../requests/requests-provider.tsx'
import type { Breaks } from './use-breaks.ts'
import type { Shift } from './use-shift.ts'

const EndShiftDrawer = lazyPart(async () => (await import('./end-shift-drawer.tsx')).EndShiftDrawer)
const MovePartyDrawer = lazyPart(async () => (await import('../tables/move-party.tsx')).MovePartyDrawer)
const SeatTables = lazyPart(async () => (await import('./seat-tables.tsx')).SeatTables)
const BreakDrawer = lazyPart(async () => (await import('./break-drawer.tsx')).BreakDrawer)

type MyShiftProps = {
  me: CrewMember
  crew: readonly CrewMember[]
  shift: Shift
  breaks: Breaks
  onEnd: () => void
}

/** What the crew member at this screen does besides requests: breaks, moving parties, the end of the shift. */
export const MyShift = memo(function MyShift({ me, crew, shift, breaks, onEnd }: MyShiftProps): JSX.Element {
  const breakDrawer = useDialog()
  const moveDrawer = useDialog()
  const isLive = useConnection().state === 'live'
  const own = breaks.all.find(({ crewMemberId }) => crewMemberId === me.id)
  const isAway = breaks.pending === null ? own !== undefined : breaks.pending === 'start-break'
  const nameOf = (id: string): string => crew.find((other) => other.id === id)?.name ?? t('a colleague')
  const covered = breaks.all.filter(({ coverId }) => coverId === me.id)
  return (
    <>
      <div role="status" className="font-semibold empty:hidden">
        {!isLive && breaks.pending !== null && (
          <p>
            {t(
              isAway
                ? 'Kept: your break begins when the connection is back'
                : 'Kept: your break ends when the connection is back',
            )}
          </p>
        )}
        {own && (
          <p>
            {t('You are on a break')} ·{' '}
            {own.coverId === null ? t('everybody covers') : t('{name} covers', { name: nameOf(own.coverId) })}
          </p>
        )}
        {covered.map(({ crewMemberId }) => (
          <p key={crewMemberId}>{t('You cover for {names}', { names: nameOf(crewMemberId) })}</p>
        ))}
      </div>
      {isAway ? (
        <Button variant="primary" wide onClick={breaks.end}>
          {t('Back from break')}
        </Button>
      ) : (
        <Button wide aria-haspopup="dialog" onClick={() => breakDrawer.open()}>
          {t('Going on break')}
        </Button>
      )}
      {!shift.flow.started && shift.flow.card === 'none' && (
        <Button variant="primary" wide onClick={shift.start}>
          {t('Start shift')}
        </Button>
      )}
      <Button wide aria-haspopup="dialog" onClick={() => moveDrawer.open()}>
        {t('Move a party')}
      </Button>
      <SeatTables />
      <EndShift {...{ me, crew, breaks, onEnd }} />
      {moveDrawer.mounted && <MovePartyDrawer {...moveDrawer.props} />}
      {breakDrawer.mounted && <BreakDrawer me={me} crew={crew} breaks={breaks} {...breakDrawer.props} />}
    </>
  )
})

/** Asks who goes where `me` is still on the way, also if that has not been sent yet. */
function EndShift({ me, crew, breaks, onEnd }: Omit<MyShiftProps, 'shift'>): JSX.Element {
  const drawer = useDialog()
  const { open, unanswered } = useRequestsOnScreen()
  const requests = useMemo(
    () => open.filter(({ id, acceptedBy }) => acceptedBy?.id === me.id && unanswered.get(id) !== 'complete'),
    [open, unanswered, me],
  )
  return (
    <>
      <Button wide onClick={() => (requests.length > 0 ? drawer.open() : onEnd())}>
        {t('End shift')}
      </Button>
      {drawer.mounted && <EndShiftDrawer {...{ me, crew, breaks, requests, onEnd }} {...drawer.props} />}
    </>
  )
}
