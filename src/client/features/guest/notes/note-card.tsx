import type { JSX, ReactNode } from 'react'
import type { GuestNote } from '#contract/guests/manager-notes.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'

/** What became of a note. */
export function noteStatus({ state, by, answer }: GuestNote): ReactNode {
  switch (state) {
    case 'new':
      return t('Sent to the manager')
    case 'seen':
      return t('The manager has read it')
    case 'taken':
      return by === null
        ? t('The manager is taking care of it')
        : tRich('{name} is taking care of it', { name: <bdi>{by}</bdi> })
    case 'closed':
      return answer === null ? t('The manager has taken care of it') : t('The manager’s answer')
  }
}

type NoteCardProps = { status: ReactNode; note: Pick<GuestNote, 'text'> & Partial<GuestNote> }

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
