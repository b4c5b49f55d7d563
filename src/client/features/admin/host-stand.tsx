import { type JSX, memo, useState } from 'react'
import type { CrewMember } from '#contract/crew.ts'
import { Card } from '../../ui/card.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { SpinnerMark } from '../../ui/spinner.tsx'
import { useBusy } from './use-busy.ts'
import type { FloorActions } from './use-floor.ts'

type HostStandProps = {
  date: string
  crew: readonly CrewMember[]
  /** Null while the day is not there yet. */
  hosts: readonly string[] | null
  setHosts: FloorActions['setHosts']
}

/** A tick counts at once; when it is refused, what the server knows is shown again. */
export const HostStand = memo(function HostStand({
  date,
  crew,
  hosts,
  setHosts,
}: HostStandProps): JSX.Element {
  const [busy, run] = useBusy()
  const [wanted, setWanted] = useState<readonly string[] | null>(null)
  const ticked = new Set(wanted ?? hosts)
  const people = crew.filter(({ role }) => role === 'Host')

  function toggle(id: string): void {
    if (busy || hosts === null) return
    const next = people.flatMap((host) => (ticked.has(host.id) !== (host.id === id) ? [host.id] : []))
    setWanted(next)
    void run(async () => {
      await setHosts(date, hosts, next)
      setWanted(null)
    })
  }

  return (
    <Card
      title="Host Stand"
      level={3}
      description="Who greets the guests on this day. Only Hosts can stand here."
      action={busy && <SpinnerMark size={20} />}
    >
      {people.length === 0 ? (
        <p className="text-text-mute">No Hosts yet. Add a crew member with the role Host.</p>
      ) : (
        <div role="group" aria-label="Host Stand" className="flex flex-wrap gap-x-6">
          {people.map(({ id, name }) => (
            <Checkbox
              key={id}
              label={name}
              checked={ticked.has(id)}
              disabled={hosts === null}
              aria-disabled={busy || undefined}
              onChange={() => toggle(id)}
            />
          ))}
        </div>
      )}
    </Card>
  )
})
