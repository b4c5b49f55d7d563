import './table-cards.css'
import ListChecks from 'lucide-react/icons/list-checks'
import Printer from 'lucide-react/icons/printer'
import { type JSX, useState } from 'react'
import { Link } from 'wouter'
import { keepCardLanguage, keptCardLanguage } from '../../../lib/texts/card-texts.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { LinkButton } from '../../../ui/link-button.tsx'
import { BackLink } from '../../../ui/page/back-link.tsx'
import { Page } from '../../../ui/page/page.tsx'
import { NfcTags } from '../walk/nfc-tags.tsx'
import { ShortLink } from '../walk/short-link.tsx'
import { CardFaces } from './card-face.tsx'
import { type CardExtras, type Format, formatNames, formats, isFormat } from './card-formats.ts'
import { CardOptions } from './card-options.tsx'
import { DownloadCodes } from './download-codes.tsx'
import { keepLogo, keptLogo } from './kept-logo.ts'
import { type LoadedCards, TableCardLoader } from './table-card-loader.tsx'
import { useCardMeasures } from './use-card-measures.ts'

const everyTable = ''

/** Printable cards with a QR code for every table. */
export function TableCards(): JSX.Element {
  return (
    <Page
      theme="light"
      title={t('Table Cards')}
      subtitle={t('A code of its own for every table. Print them, cut them, put them out.')}
      back={<BackLink href="/admin" name={t('Get Set Up')} />}
    >
      <TableCardLoader>{(loaded) => <Sheet {...loaded} />}</TableCardLoader>
    </Page>
  )
}

function Sheet({ cards, restaurantName }: LoadedCards): JSX.Element {
  const [format, setFormat] = useState<Format>('sheet')
  const [extras, setExtras] = useState<CardExtras>(() => ({
    language: keptCardLanguage(restaurantName),
    logo: keptLogo(restaurantName),
    wifi: null,
  }))
  const [only, setOnly] = useState(everyTable)
  const chosen = only === everyTable ? cards : cards.filter(({ tableNumber }) => tableNumber === only)
  const { perPage, hint, layout, paper } = formats[format]
  const { measure, print } = useCardMeasures()
  const pages = paginate(chosen, perPage)
  return (
    <>
      <div className="grid grid-cols-1 items-start gap-4 sm:grid-cols-[1fr_1fr_auto]">
        <SelectField
          label={t('Format')}
          hint={t(hint)}
          value={format}
          onChange={({ target }) => isFormat(target.value) && setFormat(target.value)}
        >
          {formatNames.map((name) => (
            <option key={name} value={name}>
              {t(formats[name].label)}
            </option>
          ))}
        </SelectField>
        <SelectField label={t('Tables')} value={only} onChange={({ target }) => setOnly(target.value)}>
          <option value={everyTable}>{t('All tables')}</option>
          {cards.map(({ tableNumber }) => (
            <option key={tableNumber} value={tableNumber}>
              {tableNumber}
            </option>
          ))}
        </SelectField>
        <div className="flex flex-wrap gap-3 sm:pt-7">
          <Button variant="primary" icon={<Printer aria-hidden size={20} />} onClick={print}>
            {t('Print')}
          </Button>
          <DownloadCodes cards={chosen} restaurantName={restaurantName} />
          <NfcTags cards={cards} />
          <Link href="/admin/cards/walk" asChild>
            <LinkButton icon={<ListChecks aria-hidden size={20} />}>{t('Walk the Floor')}</LinkButton>
          </Link>
        </div>
      </div>
      <CardOptions
        extras={extras}
        onChange={(change) => {
          if (change.logo !== undefined) keepLogo(restaurantName, change.logo)
          if (change.language) keepCardLanguage(restaurantName, change.language)
          setExtras((current) => ({ ...current, ...change }))
        }}
      />
      <p role="status" className="text-text-mute">
        {t("{cards} on {pages}. Print at 100 %, without margins of the browser's own.", {
          cards: plural(chosen.length, '{count} card', '{count} cards'),
          pages: plural(pages.length, '{count} page', '{count} pages'),
        })}
      </p>
      {only !== everyTable && chosen.map((card) => <ShortLink key={card.id} card={card} />)}
      <div className="papers" data-layout={layout} data-paper={paper}>
        {pages.map((page) => (
          <div key={page[0]?.id} className="paper-frame">
            <div className="paper">
              {page.map((card) => (
                <CardFaces key={card.id} {...{ card, restaurantName, layout, extras, measure }} />
              ))}
            </div>
          </div>
        ))}
      </div>
    </>
  )
}

function paginate<T>(cards: readonly T[], perPage: number): T[][] {
  return Array.from({ length: Math.ceil(cards.length / perPage) }, (_, page) =>
    cards.slice(page * perPage, (page + 1) * perPage),
  )
}
