import './table-cards.css'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import Printer from 'lucide-react/icons/printer'
import { type JSX, useState } from 'react'
import { Link } from 'wouter'
import { api } from '#contract/api.ts'
import { shortLink, type TableCard } from '#contract/qr.ts'
import { ApiError, errorMessage } from '../../api/http.ts'
import { useFreshApiQuery, useApiCache } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { pluralize } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { LoadError } from '../../ui/load-error.tsx'
import { Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/form/select-field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { SubscriptionRequired } from './subscription-required.tsx'
import { useSignInRedirectOn } from './use-sign-in-redirect.ts'

const variants = {
  sheet: { label: 'A4 sheet', hint: 'Eight cards to a page, to cut out', perPage: 8 },
  tent: { label: 'Table tent', hint: 'An A4 page for each table, folded in the middle', perPage: 1 },
  sticker: { label: 'Sticker', hint: 'For label printers, 62 × 100 mm each', perPage: 1 },
} as const

type Variant = keyof typeof variants

const variantNames: readonly Variant[] = ['sheet', 'tent', 'sticker']

const isVariant = (text: string): text is Variant => Object.hasOwn(variants, text)

const everyTable = ''

/** Printable cards with a QR code for every table. */
export function TableCards(): JSX.Element {
  const session = useSession()
  const restaurantName = session.state === 'signed-in' ? (session.user.restaurantName ?? '') : ''
  const { data, error } = useFreshApiQuery(api.qr.sheet, {})
  const cards = data?.cards
  return (
    <Page
      theme="light"
      title="Table Cards"
      subtitle="A code of its own for every table. Print them, cut them, put them out."
      back={
        <Link href="/admin" asChild>
          <LinkButton variant="quiet" icon={<ArrowLeft aria-hidden className="rtl:rotate-180" />}>
            Get Set Up
          </LinkButton>
        </Link>
      }
    >
      {cards && cards.length > 0 && <Sheet cards={cards} restaurantName={restaurantName} />}
      {cards && cards.length === 0 && <NoTables />}
      {!cards && (error ? <SheetError error={error} /> : <Spinner />)}
    </Page>
  )
}

function NoTables(): JSX.Element {
  return (
    <Card title="No Tables Yet">
      <p>Set up your tables first: every table gets a card.</p>
      <div>
        <Link href="/admin-dashboard" asChild>
          <LinkButton variant="primary">Set Up Tables</LinkButton>
        </Link>
      </div>
    </Card>
  )
}

function SheetError({ error }: { error: Error }): JSX.Element | null {
  const { invalidate } = useApiCache()
  if (useSignInRedirectOn(error)) return null
  if (error instanceof ApiError && error.code === 'payment_required') return <SubscriptionRequired />
  return (
    <LoadError
      message={errorMessage(error, 'The table cards could not be loaded.')}
      onRetry={() => invalidate(api.qr.sheet)}
    />
  )
}

type SheetProps = { cards: readonly TableCard[]; restaurantName: string }

function Sheet({ cards, restaurantName }: SheetProps): JSX.Element {
  const [variant, setVariant] = useState<Variant>('sheet')
  const [only, setOnly] = useState(everyTable)
  const chosen = only === everyTable ? cards : cards.filter(({ tableNumber }) => tableNumber === only)
  const { perPage, hint } = variants[variant]
  const pages = paginate(chosen, perPage)
  return (
    <>
      <div className="grid grid-cols-1 items-start gap-4 sm:grid-cols-[1fr_1fr_auto]">
        <SelectField
          label="Format"
          hint={hint}
          value={variant}
          onChange={({ target }) => isVariant(target.value) && setVariant(target.value)}
        >
          {variantNames.map((name) => (
            <option key={name} value={name}>
              {variants[name].label}
            </option>
          ))}
        </SelectField>
        <SelectField label="Tables" value={only} onChange={({ target }) => setOnly(target.value)}>
          <option value={everyTable}>All tables</option>
          {cards.map(({ tableNumber }) => (
            <option key={tableNumber} value={tableNumber}>
              {tableNumber}
            </option>
          ))}
        </SelectField>
        <div className="sm:pt-7">
          <Button variant="primary" wide icon={<Printer aria-hidden size={20} />} onClick={() => print()}>
            Print
          </Button>
        </div>
      </div>
      <p role="status" className="text-text-mute">
        {pluralize(chosen.length, 'card')} on {pluralize(pages.length, 'page')}. Print at 100 %, without
        margins of the browser's own.
      </p>
      <div className="papers" data-variant={variant}>
        {pages.map((page) => (
          <div key={page[0]?.tableNumber} className="paper">
            {page.map((card) => (
              <CardFaces key={card.tableNumber} {...{ card, restaurantName, variant }} />
            ))}
          </div>
        ))}
      </div>
    </>
  )
}

/** Both sides of a tent card show the same face. */
function CardFaces({ card, restaurantName, variant }: CardFaceProps & { variant: Variant }): JSX.Element {
  const face = <CardFace {...{ card, restaurantName }} />
  if (variant !== 'tent') return face
  return (
    <>
      <div className="far-side" aria-hidden>
        {face}
      </div>
      {face}
    </>
  )
}

/** Rebuilds the server's SVG element by element, so that no received markup is inserted into the page. */
function QrSvg({ svg }: { svg: string }): JSX.Element | null {
  const [, size, dark] = /viewBox="0 0 (\d+) \d+".*<path d="([Mhvz\d -]+)"/u.exec(svg) ?? []
  if (size === undefined) return null
  return (
    <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}h-${size}z`} />
      <path d={dark} />
    </svg>
  )
}

type CardFaceProps = { card: TableCard; restaurantName: string }

function CardFace({ card: { tableNumber, link, svg }, restaurantName }: CardFaceProps): JSX.Element {
  const address = shortLink(link)
  return (
    <article className="table-card" aria-label={`Card of table ${tableNumber}`}>
      {/* Inline rather than an image: five hundred images would take seconds to render. */}
      <div className="code" role="img" aria-label={`QR code of table ${tableNumber}`}>
        <QrSvg svg={svg} />
      </div>
      <div className="words">
        <p className="restaurant">{restaurantName}</p>
        <p className="table">
          Table <strong data-length={lengthClass(tableNumber)}>{tableNumber}</strong>
        </p>
        <p className="invitation">Scan to call your waiter</p>
        <p className="address" data-long={address.length > 60 || undefined}>
          or open {address}
        </p>
      </div>
    </article>
  )
}

/** Names are printed smaller than numbers. */
const lengthClass = ({ length }: string): 'number' | 'word' | 'words' =>
  length <= 3 ? 'number' : length <= 10 ? 'word' : 'words'

function paginate<T>(cards: readonly T[], perPage: number): T[][] {
  return Array.from({ length: Math.ceil(cards.length / perPage) }, (_, page) =>
    cards.slice(page * perPage, (page + 1) * perPage),
  )
}
