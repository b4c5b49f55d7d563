import { type JSX, memo, useRef, useState } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import { normalizeForSearch } from '../../../lib/texts/format.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Card } from '../../../ui/card.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { SearchField } from '../../../ui/form/search-field.tsx'
import { ShowAllButton } from '../../../ui/page/show-all-button.tsx'
import { SpinnerIcon } from '../../../ui/page/spinner.tsx'
import type { FloorActions } from '../floor-actions.ts'

/** Up to this many need no filter. */
const maxWithoutFilter = 12
/** The others are shown on request, or once they stand there. */
const maxCollapsed = 24

type HostStandProps = {
  date: string
  crew: readonly CrewMember[]
  /** Null until the day is loaded. */
  hosts: readonly string[] | null
  setHosts: FloorActions['setHosts']
}

/** A tick shows at once; if it is refused, the state of the server is shown again. */
export const HostStand = memo(function HostStand({
  date,
  crew,
  hosts,
  setHosts,
}: HostStandProps): JSX.Element {
  const [wanted, setWanted] = useState<readonly string[] | null>(null)
  const latest = useRef(wanted)
  const underWay = useRef(0)
  const [busy, setBusy] = useState(false)
  const ticked = new Set(wanted ?? hosts)
  const people = crew.filter(({ role }) => role === 'Host')
  const [filter, setFilter] = useState('')
  const wantedName = normalizeForSearch(filter.trim())
  const found = people.filter(({ name }) => normalizeForSearch(name).includes(wantedName))
  const [all, setAll] = useState(false)
  const shown = found.filter(({ id }, index) => all || index < maxCollapsed || ticked.has(id))

  function show(next: readonly string[] | null): void {
    latest.current = next
    setWanted(next)
  }

  /** On a slow network ticks wait for one another; each is sent with the state that it changes. */
  async function toggle(id: string): Promise<void> {
    const before = latest.current ?? hosts
    if (before === null) return
    const next = people.flatMap((host) => (before.includes(host.id) !== (host.id === id) ? [host.id] : []))
    show(next)
    underWay.current += 1
    setBusy(true)
    const outcome = await setHosts(date, before, next)
    underWay.current -= 1
    if (underWay.current === 0) setBusy(false)
    if (underWay.current === 0 || outcome === 'failed') show(null)
  }

  return (
    <Card
      title={t('Host Stand')}
      level={3}
      description={t('Who greets the guests on this day. Only Hosts can stand here.')}
      action={busy && <SpinnerIcon size={20} />}
    >
      {people.length > maxWithoutFilter && (
        <SearchField label={t('Find hosts')} value={filter} onValue={setFilter} />
      )}
      {people.length === 0 ? (
        <p className="text-text-mute">{t('No Hosts yet. Add a crew member with the role Host.')}</p>
      ) : (
        <div role="group" aria-label={t('Host Stand')} className="flex flex-wrap gap-x-6">
          {shown.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={name}
              checked={ticked.has(id)}
              disabled={hosts === null}
              onChange={() => void toggle(id)}
            />
          ))}
        </div>
      )}
      {found.length > maxCollapsed && <ShowAllButton count={found.length} all={all} setAll={setAll} />}
    </Card>
  )
})
