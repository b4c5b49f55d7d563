import ChevronDown from 'lucide-react/icons/chevron-down'
import Hourglass from 'lucide-react/icons/hourglass'
import {
  type JSX,
  type RefObject,
  type SubmitEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import {
  maxNoteLength,
  type ServiceType,
  serviceTypeLabels,
  serviceTypes,
  type ShownNeed,
} from '#contract/requests/requests.ts'
import { textIn as textInLanguage } from '#contract/texts/languages.ts'
import type { LocalText } from '#contract/texts/local-text.ts'
import { t } from '../../../lib/texts/translate.ts'
import { NeedIcon } from '../../../ui/requests/need-icon.tsx'
import { ServiceIcon } from '../../../ui/requests/service-icon.tsx'
import { PlaceFields } from '../entry/place-fields.tsx'
import { focusTitle } from '../entry/step-title.tsx'
import { pageLanguage } from '../language.ts'
import { type Asked, askedKey, drafts, type Needs, type TilesProps } from './own-needs.ts'
import styles from './own-needs.css?url'

/** In the page's language, or else in the restaurant's own. */
const textIn = (texts: LocalText): string => textInLanguage(texts, pageLanguage())

const isServiceType = (id: string): id is ServiceType => serviceTypes.some((type) => type === id)
const typeOf = ({ id }: ShownNeed): ServiceType => (isServiceType(id) ? id : 'other')

const find = (asked: Asked, needs: Needs = []): Partial<ShownNeed> => {
  const shown = needs.find(({ id }) => id === askedKey(asked))
  return { ...shown, ...(typeof asked.need === 'object' && asked.need) }
}

export function nameOf(asked: Asked, needs: Needs): string {
  const { name, choices } = find(asked, needs)
  const { serviceType, choice } = asked
  const chosen = typeof choice === 'object' ? choice : choices?.find(({ id }) => id === choice)
  const need = name ? textIn(name) : t(serviceTypeLabels[serviceType])
  return chosen ? `${need} · ${textIn(chosen.name)}` : need
}

/** Null: as usual. */
export function iconOf(asked: Asked, needs: Needs, size = 24): JSX.Element | null {
  const { icon } = find(asked, needs)
  return icon ? <NeedIcon icon={icon} size={size} /> : null
}

/** For a page that came before the restaurant arranged its needs. The others have them inlined. */
export const addStyles = (): Promise<unknown> =>
  new Promise((resolve) => {
    const link = document.createElement('link')
    document.head.append(
      Object.assign(link, { rel: 'stylesheet', href: styles, onload: resolve, onerror: resolve }),
    )
  })

const formId = 'ask'
/** More than fit a screen: then Call Waiter comes first. */
const manyNeeds = 8

/** In the owner's order. What has choices or takes a note opens them in its place. */
export function Tiles(props: TilesProps): JSX.Element {
  const { needs, asked } = props
  const small = needs.filter((need) => !isPrimary(need))
  const last = small.length % 2 === 1 ? small.at(-1) : undefined
  return (
    <div className="services low own" data-many={needs.length > manyNeeds || undefined}>
      <form id={formId} method="post" action="/customer">
        <Fields place={props.place} formId={props.formId} />
      </form>
      {needs.map((need) => {
        const isAsked = asked.has(need.id)
        // A repeat is always taken.
        const disabled = props.isUnavailable(need.id) && !isAsked
        const tile = { need, isAsked, isWide: need === last }
        return !disabled && (need.choices || need.note) ? (
          <Options key={need.id} {...props} {...tile} />
        ) : (
          <Plain key={need.id} {...tile} isLit={asked.size === 0} disabled={disabled} />
        )
      })}
    </div>
  )
}

type TileProps = { need: ShownNeed; isAsked: boolean; isWide: boolean }

function Plain({
  need,
  isAsked,
  isWide,
  isLit,
  disabled,
}: TileProps & { isLit: boolean; disabled: boolean }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null)
  useFocusOnTitleAfter(button)
  return (
    <button
      ref={button}
      form={formId}
      {...valueOf(need)}
      disabled={disabled}
      className={isPrimary(need) ? 'primary' : undefined}
      data-lit={(isPrimary(need) && isLit && !disabled) || undefined}
      data-asked={isAsked || undefined}
      data-wide={isWide || undefined}
      data-sending={t('Sending…')}
      data-sent={t('Sent')}
    >
      <Face need={need} isAsked={isAsked} />
    </button>
  )
}

/** Whoever is in a tile when the owner hides it goes on from the title. */
function useFocusOnTitleAfter(tile: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = tile
    return () => {
      if (current?.contains(document.activeElement)) focusTitle()
    }
  }, [tile])
}

const isPrimary = ({ id, choices, note }: ShownNeed): boolean => id === 'general' && !choices && !note

const valueOf = (need: ShownNeed) => ({
  name: isServiceType(need.id) ? 'serviceType' : 'need',
  value: need.id,
})

function Face({ need, isAsked }: Pick<TileProps, 'need' | 'isAsked'>): JSX.Element {
  const { id, name, icon } = need
  const type = typeOf(need)
  return (
    <>
      {icon ? <NeedIcon icon={icon} /> : <ServiceIcon type={type} size={24} />}
      {isAsked && <Hourglass aria-hidden size={16} />}
      <bdi>{name ? textIn(name) : t(serviceTypeLabels[isServiceType(id) ? id : 'other'])}</bdi>
    </>
  )
}

type FieldsProps = Pick<TilesProps, 'place' | 'formId'> & { serviceType?: ServiceType }

function Fields({ place, formId: id, serviceType = 'other' }: FieldsProps): JSX.Element {
  return (
    <>
      <input type="hidden" name="action" value="ask" />
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="serviceType" value={serviceType} />
      <PlaceFields {...place} />
    </>
  )
}

type OptionsProps = Pick<TilesProps, 'place' | 'formId'> & TileProps

/** Works without a script, which only adds the way back. */
function Options({ need, isAsked, isWide, place, formId: id }: OptionsProps): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null)
  useFocusOnTitleAfter(details)
  const { choices = [], note } = need
  const close = (): void => {
    if (!details.current) return
    details.current.open = false
    details.current.querySelector('summary')?.focus()
  }
  const send = ({ currentTarget }: SubmitEvent<HTMLFormElement>): void => {
    const text = currentTarget.querySelector('textarea')
    if (text) text.dataset['sent'] = text.value
    drafts.delete(need.id)
    close()
  }
  useEffect(() => {
    const { current } = details
    const closeOnEscape = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close()
    }
    current?.addEventListener('keydown', closeOnEscape)
    return () => current?.removeEventListener('keydown', closeOnEscape)
  }, [])
  return (
    <details ref={details} name="need" data-asked={isAsked || undefined} data-wide={isWide || undefined}>
      <summary>
        <Face need={need} isAsked={isAsked} />
        <ChevronDown aria-hidden size={16} />
      </summary>
      <form method="post" action="/customer" onSubmit={send}>
        <Fields place={place} formId={id} serviceType={typeOf(need)} />
        {isServiceType(need.id) || <input type="hidden" name="need" value={need.id} />}
        {note ? (
          <Note choices={choices} value={valueOf(need)} />
        ) : (
          choices.map((choice) => (
            <button
              key={choice.id}
              name="choice"
              value={choice.id}
              data-sending={t('Sending…')}
              data-sent={t('Sent')}
            >
              <bdi>{textIn(choice.name)}</bdi>
            </button>
          ))
        )}
        <button type="button" className="outline js-only" onClick={close}>
          {t('Back')}
        </button>
      </form>
    </details>
  )
}

type NoteProps = { choices: NonNullable<ShownNeed['choices']>; value: ReturnType<typeof valueOf> }

function Note({ choices, value }: NoteProps): JSX.Element {
  const draft = drafts.get(value.value)
  const [typed, setTyped] = useState<number>()
  const counter = `note-${value.value}`
  return (
    <>
      {choices.map(({ id, name }) => (
        <label key={id} className="choice">
          <input type="radio" name="choice" value={id} />
          <bdi>{textIn(name)}</bdi>
        </label>
      ))}
      <label>
        {t('Note for the crew')}
        <textarea
          name="note"
          dir="auto"
          rows={2}
          maxLength={maxNoteLength}
          aria-describedby={counter}
          defaultValue={draft}
          onInput={({ currentTarget: { value: text } }) => {
            drafts.set(value.value, text)
            setTyped(text.length)
          }}
        />
        <small id={counter} className="js-only" dir="ltr">
          {typed ?? draft?.length ?? 0} / {maxNoteLength}
        </small>
      </label>
      <button {...value} className="primary" data-lit data-sending={t('Sending…')} data-sent={t('Sent')}>
        {t('Send')}
      </button>
    </>
  )
}
