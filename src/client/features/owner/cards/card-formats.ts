import type { CardLanguage } from '../../../lib/texts/card-texts.ts'
import type { TextBox } from './fit-text.ts'

export const formats = {
  sheet: {
    label: 'A4 sheet',
    hint: 'Eight cards to a page, to cut out',
    perPage: 8,
    layout: 'sheet',
    paper: 'a4',
  },
  tent: {
    label: 'Table tent',
    hint: 'An A4 page for each table, folded in the middle',
    perPage: 1,
    layout: 'tent',
    paper: 'a4',
  },
  'letter-sheet': {
    label: 'US Letter sheet',
    hint: 'Eight cards to a page, to cut out',
    perPage: 8,
    layout: 'sheet',
    paper: 'letter',
  },
  'letter-tent': {
    label: 'US Letter table tent',
    hint: 'A US Letter page for each table, folded in the middle',
    perPage: 1,
    layout: 'tent',
    paper: 'letter',
  },
  sticker: {
    label: 'Sticker',
    hint: 'For label printers, 62 × 100 mm each',
    perPage: 1,
    layout: 'sticker',
    paper: 'label',
  },
} as const

export type Format = keyof typeof formats
export type Layout = (typeof formats)[Format]['layout']

export const formatNames: readonly Format[] = ['sheet', 'tent', 'letter-sheet', 'letter-tent', 'sticker']

export const isFormat = (text: string): text is Format => Object.hasOwn(formats, text)

/** What owners may add or change. */
export type CardExtras = {
  language: CardLanguage
  /** The picture as a data URL. */
  logo: string | null
  /** A network without a password is open. */
  wifi: { name: string; password: string } | null
}

/** `longWifi`: where its name and password would be too small to read beside a code of the usual size. */
type TextBoxes = Record<'restaurant' | 'table' | 'invitation' | 'address' | 'wifi' | 'longWifi', TextBox>

/** 6 points, in millimetres: what guests can read and type from a card. */
const typable = 2.12

const text = { lineHeight: 1.25 }
/** Letters of all scripts reach further up and down than Latin ones. */
const number = { lineHeight: 1.15 }

/**
 * In millimetres, and small enough for the smaller of A4 and US Letter. `isLong`: the Wi-Fi stands below everything
 * else on a sheet's card, which leaves less room for the words.
 */
export function textBoxesOf(layout: Layout, { logo, wifi }: CardExtras, isLong = false): TextBoxes {
  switch (layout) {
    case 'sheet':
      return {
        restaurant: {
          ...text,
          width: 36,
          height: (logo ? 5.5 : 9) - (isLong ? 1 : 0),
          size: 4.2,
          readable: 2,
        },
        table: {
          ...number,
          width: 36,
          height: (logo ? 13 : 22) - (isLong ? (logo ? 2 : 5) : 0),
          size: 20,
          readable: 3,
        },
        invitation: { ...text, width: 36, height: isLong ? 7 : 8, size: 3.2, readable: 2.2 },
        address: { ...text, width: 36, height: isLong ? 8 : 9.5, size: 2.8, readable: 1.8 },
        wifi: { ...text, width: 48, height: 6.5, size: 2.6, readable: typable },
        longWifi: { ...text, width: 86, height: 8.5, size: 2.6, readable: typable },
      }
    case 'tent':
      return {
        restaurant: { ...text, width: 77, height: logo ? 9 : 18, size: 7, readable: 4 },
        table: { ...number, width: 77, height: logo ? 30 : 42, size: 40, readable: 6 },
        invitation: { ...text, width: 77, height: 15, size: 6, readable: 4 },
        address: { ...text, width: 77, height: 13, size: 4.4, readable: 2.5 },
        wifi: { ...text, width: 94, height: 10, size: 4, readable: 2.5 },
        longWifi: { ...text, width: 94, height: 15, size: 4, readable: 2.5 },
      }
    case 'sticker':
      return {
        restaurant: { ...text, width: 55, height: logo ? 4.3 : 8.5, size: 3.4, readable: 2 },
        table: {
          ...number,
          width: 55,
          height: 14 - (logo ? 4 : 0) - (wifi ? 2 : 0),
          size: 14,
          readable: 3.5,
        },
        invitation: { ...text, width: 55, height: 4.5, size: 3.6, readable: 2 },
        address: { ...text, width: 55, height: 6.5, size: 2.6, readable: 1.8 },
        wifi: { ...text, width: 55, height: 5.5, size: 2.6, readable: typable },
        longWifi: { ...text, width: 55, height: 16, size: 2.6, readable: typable },
      }
  }
}
