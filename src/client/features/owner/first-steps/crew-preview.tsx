import './crew-preview.css'
import Check from 'lucide-react/icons/check'
import { type JSX, useId } from 'react'
import { api } from '#contract/api.ts'
import { firstName } from '#contract/names.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { formatTimeAgo } from '../../../lib/time/dates.ts'
import { Badge } from '../../../ui/badge.tsx'
import { ServiceIcon } from '../../../ui/requests/service-icon.tsx'
import { TicketPicture } from '../../../ui/ticket-picture.tsx'

type CrewPreviewProps = { table: string | null; crew: number; assigned: number }

/** Beside the steps on a wide screen: the crew's screen with what there is so far. Nothing is sent or heard there. */
export function CrewPreview({ table, crew, assigned }: CrewPreviewProps): JSX.Element {
  const id = useId()
  const { data: members = [] } = useFreshApiQuery(api.crew.list, crew > 0 ? {} : null)
  const { data: tables = [] } = useFreshApiQuery(api.floor.tables, {})
  const [member] = members
  return (
    <section aria-labelledby={id} data-theme="dark" className="crew-preview">
      <h2 id={id} className="text-2xl">
        {t('What your crew will see')}
      </h2>
      <div inert className="crew-preview-screen">
        <p className="flex items-center gap-3 font-semibold">
          <span className="size-3 shrink-0 rounded-full bg-done" />
          <bdi className="min-w-0 flex-1 wrap-anywhere">{member ? firstName(member.name) : t('Crew')}</bdi>
          <Badge size="large">{plural(1, '{count} Active', '{count} Active')}</Badge>
        </p>
        <TicketPicture
          tableNumber={table ?? tables[0]?.tableNumber ?? '1'}
          icon={<ServiceIcon type="general" size={22} />}
          type={t('Call Waiter')}
          age={formatTimeAgo(2_000)}
          heat="fresh"
          meta={
            <>
              <Badge tone="bright">{t('NEW')}</Badge>
              {assigned > 0 && <strong>{t('your table')}</strong>}
            </>
          }
        >
          <button type="button" className="ticket-go">
            {t('On my way')}
          </button>
          <button type="button" className="ticket-complete">
            <Check aria-hidden size={22} />
            {t('Mark Complete')}
          </button>
        </TicketPicture>
        <span className="crew-preview-slot" />
        <span className="crew-preview-slot" />
      </div>
      <p className="text-text-mute">{t('It fills in as you go.')}</p>
    </section>
  )
}
