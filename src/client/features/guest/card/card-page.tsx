import { Fragment, type JSX, type ReactNode } from 'react'
import type { GuestCardView } from '#contract/guests/guest-card.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'
import { languageInAddress } from '../language.ts'

type CardPageProps = {
  card: GuestCardView
  /** The table's page, as the guest had opened it. */
  back: { r: string; t: string }
  language: string
}

/** The restaurant's guest card. Rendered on the server alone: its script is `card-script.ts`. */
export function CardPage({ card, back, language }: CardPageProps): JSX.Element {
  const { restaurantName, tableNumber, menu, pay, wifi, hours, today } = card
  const table = new URLSearchParams({ ...back, ...languageInAddress() })
  return (
    <>
      <header>
        <a className="badge" href={`/customer?${table.toString()}`}>
          <span aria-hidden className="back">
            ‹
          </span>
          <b>{tRich('Table {table}', { table: <bdi>{tableNumber}</bdi> })}</b>
        </a>
      </header>
      <main>
        <h1>
          <bdi>{restaurantName}</bdi>
        </h1>
        {menu !== '' && <SiteLink title={t('Menu')} url={menu} />}
        {pay !== '' && <SiteLink title={t('Pay or tip')} url={pay} />}
        {wifi !== null && (
          <Part id="wifi" title={t('Wi-Fi')}>
            {wifi === 'locked' ? <p>{t('Please scan the code on your table.')}</p> : <Wifi {...wifi} />}
          </Part>
        )}
        {hours && (
          <Part id="hours" title={t('Opening hours')}>
            <table>
              <tbody>
                {hours.map((spans, day) => (
                  <tr key={dayName(day, language)} aria-current={day === today ? 'date' : undefined}>
                    <th scope="row">{dayName(day, language)}</th>
                    <td>
                      {spans.length === 0 && t('Closed')}
                      {isOpenAllDay(hours, day)
                        ? t('Open all day')
                        : spans.map(({ from, to }) => (
                            <span key={from}>
                              {formatTime(from, language)}–{formatTime(to, language)}
                            </span>
                          ))}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Part>
        )}
      </main>
    </>
  )
}

const SiteLink = ({ title, url }: { title: string; url: string }): JSX.Element => (
  <a className="part site" href={url} target="_blank" rel="noopener">
    <b>{title}</b> <small dir="ltr">{brokenAtDots(new URL(url).host)}</small>
  </a>
)

const brokenAtDots = (host: string): ReactNode[] =>
  host.split('.').map((label, index) => (
    <Fragment key={index}>
      {index > 0 && (
        <>
          .<wbr />
        </>
      )}
      {label}
    </Fragment>
  ))

const Part = ({ id, title, children }: { id: string; title: string; children: ReactNode }): JSX.Element => (
  <section className="part" id={id} aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {children}
  </section>
)

type WifiProps = Exclude<GuestCardView['wifi'], 'locked' | null>

const Wifi = ({ name, password, qrCode }: WifiProps): JSX.Element => (
  <>
    <dl>
      <dt>{t('Network')}</dt>
      <dd>
        <bdi>{name}</bdi>
      </dd>
      <dt>{t('Password')}</dt>
      <dd>{password === '' ? t('No password') : <bdi>{password}</bdi>}</dd>
    </dl>
    {password !== '' && (
      <p>
        <button type="button" hidden value={password} data-copied={t('Copied')}>
          {t('Copy password')}
        </button>
        <span role="status" />
      </p>
    )}
    <figure>
      <img
        src={`data:image/svg+xml,${encodeURIComponent(qrCode)}`}
        alt={t('Wi-Fi')}
        width={200}
        height={200}
      />
      <figcaption>{t('Scan this with another phone to join.')}</figcaption>
    </figure>
  </>
)

/** The first of January 2024 was a Monday. */
const dayName = (day: number, language: string): string =>
  new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day + 1))

/** Its hours end when they began, a day later, and those of the day before reach up to them. */
function isOpenAllDay(hours: NonNullable<GuestCardView['hours']>, day: number): boolean {
  const [span] = hours[day] ?? []
  if (!span || span.from !== span.to) return false
  const before = hours.at(day - 1) ?? []
  return span.from === '00:00' || before.some(({ from, to }) => to <= from && to >= span.from)
}

/** In one piece, also where it ends with AM or PM. */
function formatTime(time: string, language: string): string {
  const [hour, minute] = time.split(':').map(Number)
  return new Intl.DateTimeFormat(language, {
    timeStyle: 'short',
    numberingSystem: 'latn',
    timeZone: 'UTC',
  })
    .format(Date.UTC(2024, 0, 1, hour, minute))
    .replaceAll(' ', '\u00A0')
}
