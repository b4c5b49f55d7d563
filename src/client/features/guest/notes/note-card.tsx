import type { JSX } from 'react'
import type { GuestNote } from '#contract/guests/manager-notes.ts'
import { t } from '../../../lib/texts/translate.ts'

/** What became of a note. */
export function noteStatus({ state, by, answer }: GuestNote): string {
  switch (state) {
    case 'new':
      return t('Sent to the manager')
    case 'seen':
      return t('The manager has read it')
    case 'taken':
      return by === null
        ? t('The manager is taking care of it')
        : t('{name} is taking care of it', { name: by })
    case 'closed':
      return answer === null ? t('The manager has taken care of it') : t('The manager’s answer')
  }
}

type NoteCardProps = { status: string; note: Pick<GuestNote, 'text'> & Partial<GuestNote> }

/** A note may run in another direction than the page. */
export const NoteCard = ({ status, note: { text, answer } }: NoteCardProps): JSX.Element => (
  <div className="notice" data-done>
    <b>{status}</b>
    {answer && <p dir="auto">{answer}</p>}
    <p dir="auto" className="lead">
      {text}
    </p>
  </div>
)
