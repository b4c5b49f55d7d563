import '../../ui/form/search-field.css'
import './messages.css'
import { type JSX, useCallback, useEffect, useState } from 'react'
import { api } from '#contract/api.ts'
import type { CrewMember } from '#contract/crew/crew.ts'
import { useConnection } from '../../api/live/use-live.ts'
import { useApiQueryOrNull } from '../../api/queries.ts'
import { afterPaint } from '../../lib/hooks/after-paint.ts'
import { useCloseOnBack } from '../../lib/hooks/use-close-on-back.ts'
import { initials } from '../../lib/texts/initials.ts'
import { plural, t } from '../../lib/texts/translate.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/form/field.tsx'
import { PersonName } from '../../ui/page/person-name.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { type Contact, buildContacts, filterContacts, recentContacts } from './contacts.ts'
import { Conversation } from './conversation.tsx'
import { messageTextOf } from './message-bubble.tsx'
import { AskRole, OwnCallsList } from './role-calls.tsx'
import { countUnsent } from './unsent-messages.ts'
import { useMessages, useReadMarks } from './use-messages.ts'
import { useClaimedToast, useRoleCalls } from './use-role-calls.ts'

export type MessagesPanelProps = {
  me: CrewMember
  /** Whether the server has confirmed that it is `me`. Until then nothing is known of their messages. */
  confirmed: boolean
  /** Null while unknown. */
  restaurantId: string | null
  /** The tables of `me` today. */
  tables: readonly string[]
  /** Called with the number of unread messages. */
  onUnread: (count: number) => void
}

/** Direct messages between colleagues, and calls to anybody free in a role. */
export const MessagesPanel = ({ confirmed, ...props }: MessagesPanelProps): JSX.Element =>
  confirmed ? <Panel {...props} /> : <NothingKnown me={props.me} />

/** A page that was opened without the server has asked for no PIN, so it shows nobody's messages. */
function NothingKnown({ me }: Pick<MessagesPanelProps, 'me'>): JSX.Element {
  const connection = useConnection()
  const isLost = connection.state === 'reconnecting' && connection.lastMessageAt !== null
  const [unsent] = useState(() => countUnsent(me.id))
  return (
    <Card column title={t('Messages')} action={<Badge tone="outline">{me.name}</Badge>}>
      {isLost ? (
        <>
          <p className="text-text-mute">
            {t('Messages are not kept on this device. They show here again once it is connected.')}
          </p>
          {unsent > 0 && (
            <p className="font-semibold">
              {plural(unsent, 'One message waits to send', '{count} messages wait to send')}
            </p>
          )}
        </>
      ) : (
        <Spinner />
      )}
    </Card>
  )
}

function Panel({ me, restaurantId, tables, onUnread }: Omit<MessagesPanelProps, 'confirmed'>): JSX.Element {
  const messages = useMessages(me)
  const { marks, mark } = useReadMarks(me.id)
  const calls = useRoleCalls(me)
  useClaimedToast(calls.shown, me)
  const crew = useApiQueryOrNull(
    api.crew.byRestaurant,
    restaurantId === null ? null : { query: { restaurantId } },
  )
  const [contactId, setContactId] = useState<string | null>(null)
  const [drafts] = useState(() => new Map<string, string>())
  const contacts = buildContacts(crew.data ?? [], messages.all, me.id, marks)
  const contact = contacts.find(({ member }) => member.id === contactId)?.member
  useCloseOnBack(contact !== undefined, () => setContactId(null))
  const unread = contacts.reduce((sum, entry) => sum + entry.unread, 0)
  useEffect(() => onUnread(unread), [unread, onUnread])
  useEffect(() => () => onUnread(0), [onUnread])
  const markRead = useCallback(
    (until: number) => {
      if (contactId !== null) mark(contactId, until)
    },
    [contactId, mark],
  )
  return (
    <Card column title={t('Messages')} action={<Badge tone="outline">{me.name}</Badge>}>
      <p role="status" className="sr-only">
        {unread > 0 ? plural(unread, '1 unread message', '{count} unread messages') : ''}
      </p>
      <OwnCallsList me={me} calls={calls} />
      {contact ? (
        <Conversation
          me={me}
          contact={contact}
          messages={messages}
          drafts={drafts}
          onBack={() => afterPaint(() => setContactId(null))}
          onRead={markRead}
        />
      ) : (
        <>
          <ContactList contacts={contacts} onOpen={(id) => afterPaint(() => setContactId(id))} />
          <AskRole me={me} restaurantId={restaurantId} tables={tables} onAsk={calls.ask} />
        </>
      )}
    </Card>
  )
}

function ContactList({
  contacts,
  onOpen,
}: {
  contacts: readonly Contact[]
  onOpen: (id: string) => void
}): JSX.Element {
  const [search, setSearch] = useState('')
  const shown = filterContacts(contacts, search)
  const recent = search.trim() === '' ? recentContacts(contacts) : []
  return (
    <div className="flex flex-col gap-4">
      <Field
        label={t('Search contacts')}
        labelHidden
        type="search"
        placeholder={t('Search contacts...')}
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      {recent.length > 0 && <Section title={t('RECENT')} contacts={recent} onOpen={onOpen} latest />}
      <Section title={t('ALL CONTACTS')} contacts={shown} onOpen={onOpen} />
    </div>
  )
}

type SectionProps = {
  title: string
  contacts: readonly Contact[]
  onOpen: (id: string) => void
  latest?: boolean
}

function Section({ title, contacts, onOpen, latest = false }: SectionProps): JSX.Element {
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h3 className="text-base font-semibold text-text-mute">{title}</h3>
      {contacts.length === 0 && <p className="text-text-mute">{t('No contacts found')}</p>}
      <ul>
        {contacts.map(({ member, latest: lastMessage, unread }) => (
          <li key={member.id}>
            <button
              type="button"
              onClick={() => onOpen(member.id)}
              className="flex min-h-14 w-full items-center gap-3 rounded-control px-2 py-1 text-start hover:bg-current/10 active:bg-current/10"
            >
              <span
                aria-hidden
                className="contact-initials inline-grid size-10 shrink-0 place-items-center rounded-full bg-plate-2 text-base font-bold"
              >
                {initials(member.name)}
              </span>
              <span className="min-w-0 flex-1">
                <PersonName>{member.name}</PersonName>
                <span className="contact-more flex items-center justify-between gap-x-2 text-base text-text-mute">
                  <span className="truncate">
                    {latest && lastMessage ? messageTextOf(lastMessage) : t(member.role)}
                  </span>
                  {unread > 0 && (
                    <span className="shrink-0">
                      <Badge tone="action">{plural(unread, '{count} new', '{count} new')}</Badge>
                    </span>
                  )}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
