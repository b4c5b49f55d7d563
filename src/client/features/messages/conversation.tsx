import ArrowLeft from 'lucide-react/icons/arrow-left'
import Send from 'lucide-react/icons/send'
import { type JSX, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import { MessageText } from '#contract/crew/messages.ts'
import { parse } from '#contract/parse.ts'
import { t } from '../../lib/texts/translate.ts'
import { IconButton } from '../../ui/button.tsx'
import { controlClass, FieldFrame } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { otherMemberId } from './contacts.ts'
import { MessageBubble } from './message-bubble.tsx'
import { QuickMessages } from './quick-messages.tsx'
import type { Messages } from './use-messages.ts'

type ConversationProps = {
  me: CrewMember
  contact: CrewMember
  messages: Messages
  /** What was typed and not sent yet, by contact: it stays while another conversation is looked at. */
  drafts: Map<string, string>
  onBack: () => void
  onRead: (until: number) => void
}

export function Conversation({
  me,
  contact,
  messages,
  drafts,
  onBack,
  onRead,
}: ConversationProps): JSX.Element {
  const shown = messages.all.filter((message) => otherMemberId(message, me.id) === contact.id)
  const latest = shown.at(-1)?.timestamp ?? 0
  const area = useRef<HTMLDivElement>(null)
  const inView = useInView(area)
  useEffect(() => {
    area.current?.scrollTo({ top: area.current.scrollHeight })
    if (inView) onRead(latest)
  }, [latest, inView, onRead])
  useLastInView(area)

  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-2">
        <IconButton label={t('Back to contacts')} onClick={onBack}>
          <ArrowLeft aria-hidden className="rtl:rotate-180" />
        </IconButton>
        <div className="min-w-0">
          <h3 className="text-lg wrap-anywhere">{contact.name}</h3>
          <p className="text-base text-text-mute">{t(contact.role)}</p>
        </div>
      </div>
      <div
        ref={area}
        role="log"
        aria-label={t('Conversation with {name}', { name: contact.name })}
        tabIndex={0}
        className="max-h-[min(300px,max(7rem,100dvh-25rem))] overflow-y-auto overscroll-contain"
      >
        {shown.length === 0 && messages.loaded && (
          <p className="text-text-mute">{t('No messages yet. Start a conversation!')}</p>
        )}
        <ul className="flex flex-col gap-2">
          {shown.map((message) => (
            <MessageBubble
              key={message.id}
              message={message}
              own={message.senderCrewId === me.id}
              pending={messages.pendingIds.has(message.id)}
              onDelete={messages.remove}
            />
          ))}
        </ul>
      </div>
      <Composer
        key={contact.id}
        draft={drafts.get(contact.id) ?? ''}
        onDraft={(text) => drafts.set(contact.id, text)}
        onSend={(text) => messages.send(contact, text)}
      />
      <QuickMessages
        role={me.role}
        to={contact.name}
        onPick={(key, label) => messages.send(contact, label, key)}
      />
    </div>
  )
}

/** The last message stays in view when a keyboard leaves less room for it, or a phone is turned. */
function useLastInView(area: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const log = area.current
    if (!log || typeof ResizeObserver === 'undefined') return undefined
    const observer = new ResizeObserver(() => log.scrollTo({ top: log.scrollHeight }))
    observer.observe(log)
    return () => observer.disconnect()
  }, [area])
}

type ComposerProps = { draft: string; onDraft: (text: string) => void; onSend: (text: string) => void }

/** Enter sends, Shift+Enter starts a new line. */
function Composer({ draft, onDraft, onSend }: ComposerProps): JSX.Element {
  const form = useForm({
    initial: { text: draft },
    parse: ({ text }) => parse(MessageText, text),
    submit(text, { reset }) {
      onSend(text)
      reset({ text: '' })
    },
    inline: true,
  })
  const { error, ...field } = form.field('text')
  const typed = field.value
  useEffect(() => {
    onDraft(typed)
  })
  const isEmpty = field.value.trim() === ''
  const sendOnEnter = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (!isEmpty) event.currentTarget.form?.requestSubmit()
  }
  return (
    <form {...form.props} className="flex items-end gap-2">
      <FieldFrame label={t('Message')} labelHidden error={error}>
        {(control) => (
          <textarea
            {...control}
            {...field}
            rows={1}
            placeholder={t('Type a message...')}
            onKeyDown={sendOnEnter}
            className={`${controlClass} field-sizing-content max-h-40 resize-none py-3 placeholder:overflow-hidden placeholder:text-ellipsis placeholder:whitespace-nowrap`}
          />
        )}
      </FieldFrame>
      <button
        type="submit"
        aria-label={t('Send')}
        disabled={isEmpty}
        className="inline-grid size-(--control) shrink-0 place-items-center rounded-control bg-action text-on-action disabled:opacity-55"
      >
        <Send aria-hidden className="rtl:-scale-x-100" />
      </button>
    </form>
  )
}

/** Whether the element can be seen: on a visible page, and not scrolled or tabbed away. */
function useInView(element: RefObject<HTMLElement | null>): boolean {
  const [onScreen, setOnScreen] = useState(typeof IntersectionObserver === 'undefined')
  const [visible, setVisible] = useState(() => !document.hidden)
  useEffect(() => {
    const update = (): void => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  useEffect(() => {
    if (!element.current || typeof IntersectionObserver === 'undefined') return undefined
    const observer = new IntersectionObserver(([entry]) => setOnScreen(entry?.isIntersecting ?? false))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return onScreen && visible
}
