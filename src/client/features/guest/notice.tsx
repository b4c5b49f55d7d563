import { type Dispatch, type JSX, useEffect, useState } from 'react'
import { t } from '../../lib/texts/translate.ts'

/** `persistent`: a failure, which stays until something else happens. `done`: a success. */
export type NoticeText = { title?: string; text: string; persistent?: boolean; done?: boolean }

/** For when what the guest asked for at the wrong table cannot come along. */
export const leftNotice = (table: string): NoticeText => ({
  text: t('Your requests at table {table} stay there. Please tell your waiter.', { table }),
  persistent: true,
})

/** In place of the promise of a waiter, who would come without knowing all. */
export const noteCutNotice = (): NoticeText => ({
  text: `${t('Sent, but the crew cannot see all of your note.')} ${t('Please wave to your waiter.')}`,
  persistent: true,
})

const noticeMs = 5000

export function useNotice(initial: NoticeText | null): [NoticeText | null, Dispatch<NoticeText | null>] {
  const [notice, setNotice] = useState(initial)
  useEffect(() => {
    if (!notice || notice.persistent) return
    const timer = setTimeout(() => setNotice(null), noticeMs)
    return () => clearTimeout(timer)
  }, [notice])
  return [notice, setNotice]
}

export function Notice({ title, text, done }: NoticeText): JSX.Element {
  return (
    <div role="alert" className="notice" data-done={done || undefined}>
      {title && <b>{title}</b>}
      <p>{text}</p>
    </div>
  )
}
