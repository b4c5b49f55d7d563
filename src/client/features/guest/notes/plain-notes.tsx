import type { JSX } from 'react'
import { noteLimits } from '#contract/guests/note-limits.ts'
import type { GuestPage } from '#contract/guests/visits.ts'
import { t } from '../../../lib/texts/translate.ts'
import { PlaceFields } from '../entry/place-fields.tsx'
import { languageInAddress } from '../language.ts'
import { NoteCard, noteStatus } from './note-card.tsx'

/** Without a script: a note to the manager is written on a page that does not reload by itself. */
export function PlainNotes({ page, draft }: { page: GuestPage; draft: string | null }): JSX.Element | null {
  const { restaurantId, tableNumber, k } = page.given
  if (restaurantId === null || tableNumber === null || page.problem) return null
  const place = { restaurantId, tableNumber, k }
  const canWrite = page.barrier === null && !page.expired
  return (
    <div className="notes">
      {page.notes?.map((note) => (
        <NoteCard key={note.id} status={noteStatus(note)} note={note} />
      ))}
      {canWrite && draft === null && <a href={writingUrl(place)}>{t('Something is not right')}</a>}
      {canWrite && draft !== null && (
        <form className="notes" method="post" action="/customer">
          <input type="hidden" name="action" value="word" />
          <input type="hidden" name="id" value={page.formId} />
          <PlaceFields {...place} />
          <label>
            {t('A word to the manager')}
            <small>{t('Only the manager reads it. At most 280 characters.')}</small>
            <textarea name="word" rows={3} dir="auto" maxLength={noteLimits.text} defaultValue={draft} />
          </label>
          <button>{t('Send')}</button>
        </form>
      )}
    </div>
  )
}

function writingUrl({
  restaurantId,
  tableNumber,
  k,
}: {
  restaurantId: string
  tableNumber: string
  k: string | null
}): string {
  const query = { r: restaurantId, t: tableNumber, ...(k !== null && { k }), ...languageInAddress() }
  return `/customer?${new URLSearchParams({ ...query, action: 'word' }).toString()}`
}
