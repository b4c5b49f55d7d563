import type { JSX } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { formatDate } from '../../lib/time/dates.ts'
import { Notice } from './notice.tsx'

/** Only its owner reads it: nobody else is signed in to a deleted restaurant. */
export function DeletedRestaurantNotice({ eraseAt }: { eraseAt: number }): JSX.Element {
  return (
    <div className="contents print:hidden">
      <Notice>
        <span>
          {t('Your restaurant is deleted: guests and crew cannot use it. Everything is erased on {day}.', {
            day: formatDate(eraseAt, { dateStyle: 'long' }),
          })}
        </span>{' '}
        <a href="/admin-dashboard/settings#delete" className="text-action underline">
          {t('Restore it.')}
        </a>
      </Notice>
    </div>
  )
}
