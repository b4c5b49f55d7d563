import Trash2 from 'lucide-react/icons/trash-2'
import type { JSX } from 'react'
import { toQuickMessageKey, quickMessageLabels, type TeamMessage } from '#contract/crew/messages.ts'
import { t } from '../../lib/texts/translate.ts'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { TimeText } from '../../ui/requests/time-text.tsx'
import { useSwipeLeft } from './use-swipe-left.ts'

type MessageBubbleProps = {
  message: TeamMessage
  own: boolean
  pending: boolean
  onDelete: (id: string) => void
}

/** The crew member's own messages can be deleted, by swiping left or by the button. */
export function MessageBubble({ message, own, pending, onDelete }: MessageBubbleProps): JSX.Element {
  const swipe = useSwipeLeft(() => onDelete(message.id))
  return (
    <li className={classNames('message flex items-end gap-1', own ? 'justify-end' : 'justify-start')}>
      {own && (
        <IconButton label={t('Delete message')} size={44} onClick={() => onDelete(message.id)}>
          <Trash2 aria-hidden size={18} className="text-text-mute" />
        </IconButton>
      )}
      <div
        {...(own ? swipe : {})}
        className={classNames(
          'max-w-4/5 rounded-ticket px-4 py-2 transition-[translate,scale,opacity] duration-100 select-none wrap-anywhere',
          own ? 'bg-action text-on-action' : 'bg-plate-2',
        )}
      >
        <MessageLine message={message} />
        <p className={classNames('text-sm', !own && 'text-text-mute')}>
          {pending ? t('Sending…') : <TimeText at={message.timestamp} />}
        </p>
      </div>
    </li>
  )
}

/** A free text stays in its own language; a reader of another one is told which it is. */
function MessageLine({ message }: { message: TeamMessage }): JSX.Element {
  const { language } = message
  const own = document.documentElement.lang || 'en'
  const isForeign = language !== undefined && baseOf(language) !== baseOf(own)
  return (
    <>
      {isForeign && (
        <p className="text-sm font-semibold">
          {new Intl.DisplayNames([own], { type: 'language' }).of(language)}
        </p>
      )}
      <p lang={language} dir="auto" className="whitespace-pre-wrap">
        {messageTextOf(message)}
      </p>
    </>
  )
}

const baseOf = (tag: string): string => tag.replace(/-.*/u, '')

/** A quick message is stored by its key, so that it follows later changes of its text. */
export function messageTextOf({ messageKey, messageText }: TeamMessage): string {
  const key = toQuickMessageKey(messageKey)
  return key === null ? messageText : t(quickMessageLabels[key])
}
