import type { CSSProperties, JSX } from 'react'
import { readableLink, type TableCard } from '#contract/floor/qr.ts'
import { type CardLanguage, cardTexts, directionOf } from '../../../lib/texts/card-texts.ts'
import { t } from '../../../lib/texts/translate.ts'
import { type CardExtras, type Layout, textBoxesOf } from './card-formats.ts'
import { fitText, type Measure } from './fit-text.ts'
import { readQrSvg } from './qr-svg.ts'
import type { CardMeasures } from './use-card-measures.ts'

export type CardFaceProps = {
  card: TableCard
  restaurantName: string
  layout: Layout
  extras: CardExtras
  measure: CardMeasures
}

/** Both sides of a tent card show the same face. */
export function CardFaces(props: CardFaceProps): JSX.Element {
  const face = <CardFace {...props} />
  if (props.layout !== 'tent') return face
  return (
    <>
      <div className="far-side" aria-hidden>
        {face}
      </div>
      {face}
    </>
  )
}

function CardFace({
  card: { tableNumber, shortLink, svg },
  restaurantName,
  layout,
  extras,
  measure: { display, plain },
}: CardFaceProps): JSX.Element {
  const [host, path] = readableLink(shortLink).split(/(?=\/t\/)/u)
  const { logo, wifi, language } = extras
  const words = cardTexts[language]
  const wifiSize = wifi && sizeOfWifi(wifi, extras, textBoxesOf(layout, extras), plain)
  const boxes = textBoxesOf(layout, extras, wifiSize?.isLong)
  return (
    <article
      className="table-card"
      data-long-wifi={wifiSize?.isLong || undefined}
      aria-label={t('Card of table {table}', { table: tableNumber })}
    >
      <div className="code-side">
        {/* Inline rather than an image: five hundred images would take seconds to render. */}
        <div className="code" role="img" aria-label={t('QR code of table {table}', { table: tableNumber })}>
          <QrSvg svg={svg} />
        </div>
        {wifi && wifiSize && <Wifi {...wifi} language={language} size={wifiSize.size} />}
      </div>
      {/* What guests read. */}
      <div className="words" lang={language} dir={directionOf(language)}>
        {logo !== null && <img className="logo" src={logo} alt="" />}
        <p className="restaurant" style={sizeOf(fitText(restaurantName, boxes.restaurant, display))}>
          <bdi>{restaurantName}</bdi>
        </p>
        <p className="table">
          {words.table}{' '}
          <strong style={sizeOf(fitText(tableNumber, boxes.table, display))}>
            <bdi>{tableNumber}</bdi>
          </strong>
        </p>
        <p className="invitation" style={sizeOf(fitText(words.scan, boxes.invitation, plain))}>
          {words.scan}
        </p>
        <p className="address" style={sizeOf(fitText(`${words.open} ${host} ${path}`, boxes.address, plain))}>
          {words.open}{' '}
          <bdi>
            <span>{host}</span>
            <wbr />
            <strong>{path}</strong>
          </bdi>
        </p>
      </div>
    </article>
  )
}

/** One size for both. What is too long for the room beside a code of the usual size gets more. */
function sizeOfWifi(
  { name, password }: { name: string; password: string },
  { language }: CardExtras,
  { wifi, longWifi }: ReturnType<typeof textBoxesOf>,
  measure: Measure,
): { size: number; isLong: boolean } {
  const words = cardTexts[language]
  const lines = [`${words.wifi} ${name}`, ...(password === '' ? [] : [`${words.password} ${password}`])]
  const size = fitText(lines, wifi, measure)
  return size >= wifi.readable
    ? { size, isLong: false }
    : { size: fitText(lines, longWifi, measure), isLong: true }
}

type WifiProps = { name: string; password: string; language: CardLanguage; size: number }

function Wifi({ name, password, language, size }: WifiProps): JSX.Element {
  const words = cardTexts[language]
  return (
    <div className="wifi" lang={language} dir={directionOf(language)} style={sizeOf(size)}>
      <p>
        {words.wifi}{' '}
        <strong>
          <bdi>{name}</bdi>
        </strong>
      </p>
      {password !== '' && (
        <p>
          {words.password}{' '}
          <strong>
            <bdi>{password}</bdi>
          </strong>
        </p>
      )}
    </div>
  )
}

/** Rebuilds the server's SVG element by element, so that no received markup is inserted into the page. */
function QrSvg({ svg }: { svg: string }): JSX.Element | null {
  const code = readQrSvg(svg)
  if (!code) return null
  const { size, dark } = code
  return (
    <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}h-${size}z`} />
      <path d={dark} />
    </svg>
  )
}

const sizeOf = (mm: number): CSSProperties => ({ fontSize: `calc(${mm.toFixed(2)} * var(--mm))` })
