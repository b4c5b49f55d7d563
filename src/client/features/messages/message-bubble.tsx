import Trash2 from 'lucide-react/icons/trash-2'
import type { JSX } from 'react'
import { toQuickMessageKey, quickMessageLabels, type TeamMessage } from '#contract/messages.ts'
import { useNow } from '../../lib/use-now.ts'
import { formatTimeAgo } from '../../lib/dates.ts'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
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
    <li className={classNames('flex items-end gap-1', own ? 'justify-end' : 'justify-start')}>
      {own && !pending && (
        <IconButton label="Delete message" size={44} onClick={() => onDelete(message.id)}>
          <Trash2 aria-hidden size={18} className="text-text-mute" />
        </IconButton>
      )}
      <div
        {...(own && !pending ? swipe : {})}
        className={classNames(
          'max-w-4/5 rounded-ticket px-4 py-2 transition-[translate] duration-100 select-none wrap-anywhere',
          own ? 'bg-action text-on-action' : 'bg-plate-2',
        )}
      >
        <p className="whitespace-pre-wrap">{messageTextOf(message)}</p>
        <p className={classNames('text-sm', !own && 'text-text-mute')}>
          {pending ? 'Sending…' : <TimeAgo at={message.timestamp} />}
        </p>
      </div>
    </li>
  )
}

/** A quick message is stored by its key, so that it follows later changes of its text. */
export function messageTextOf({ messageKey, messageText }: TeamMessage): string {
  const key = toQuickMessageKey(messageKey)
  return key === null ? messageText : quickMessageLabels[key]
}

function TimeAgo({ at }: { at: number }): JSX.Element {
  const now = useNow(10_000)
  return <time dateTime={new Date(at).toISOString()}>{formatTimeAgo(now - at)}</time>
}
