import { getStored, setStored } from '../browser/browser-storage.ts'

type CardTexts = {
  /** The language's own name. */
  name: string
  table: string
  scan: string
  /** Before the address. */
  open: string
  wifi: string
  password: string
}

/** What guests read on a card. All but English are machine-made until a speaker has read them. */
export const cardTexts = {
  en: {
    name: 'English',
    table: 'Table',
    scan: 'Scan to call your waiter',
    open: 'or open',
    wifi: 'Wi-Fi',
    password: 'Password',
  },
  ar: {
    name: 'العربية',
    table: 'طاولة',
    scan: 'امسح الرمز لنداء النادل',
    open: 'أو افتح',
    wifi: 'واي فاي',
    password: 'كلمة المرور',
  },
  de: {
    name: 'Deutsch',
    table: 'Tisch',
    scan: 'Scannen und Bedienung rufen',
    open: 'oder öffnen:',
    wifi: 'WLAN',
    password: 'Passwort',
  },
  es: {
    name: 'Español',
    table: 'Mesa',
    scan: 'Escanee para llamar al camarero',
    open: 'o abra',
    wifi: 'Wifi',
    password: 'Contraseña',
  },
  fr: {
    name: 'Français',
    table: 'Table',
    scan: 'Scannez pour appeler le serveur',
    open: 'ou ouvrez',
    wifi: 'Wifi',
    password: 'Mot de passe',
  },
  he: {
    name: 'עברית',
    table: 'שולחן',
    scan: 'סרקו כדי לקרוא למלצר',
    open: 'או פתחו את',
    wifi: 'Wi-Fi',
    password: 'סיסמה',
  },
  it: {
    name: 'Italiano',
    table: 'Tavolo',
    scan: 'Scansioni per chiamare il cameriere',
    open: 'o apra',
    wifi: 'Wifi',
    password: 'Password',
  },
  ja: {
    name: '日本語',
    table: 'テーブル',
    scan: 'スキャンしてスタッフを呼ぶ',
    open: 'または',
    wifi: 'Wi-Fi',
    password: 'パスワード',
  },
  ko: {
    name: '한국어',
    table: '테이블',
    scan: '스캔하여 직원 호출',
    open: '또는',
    wifi: '와이파이',
    password: '비밀번호',
  },
  nl: {
    name: 'Nederlands',
    table: 'Tafel',
    scan: 'Scan om de bediening te roepen',
    open: 'of open',
    wifi: 'Wifi',
    password: 'Wachtwoord',
  },
  pl: {
    name: 'Polski',
    table: 'Stolik',
    scan: 'Zeskanuj, aby poprosić kelnera',
    open: 'lub otwórz',
    wifi: 'Wi-Fi',
    password: 'Hasło',
  },
  pt: {
    name: 'Português',
    table: 'Mesa',
    scan: 'Leia o código para chamar',
    open: 'ou abra',
    wifi: 'Wi-Fi',
    password: 'Palavra-passe',
  },
  ru: {
    name: 'Русский',
    table: 'Стол',
    scan: 'Отсканируйте, чтобы позвать официанта',
    open: 'или откройте',
    wifi: 'Wi-Fi',
    password: 'Пароль',
  },
  tr: {
    name: 'Türkçe',
    table: 'Masa',
    scan: 'Garson çağırmak için okutun',
    open: 'veya açın:',
    wifi: 'Wi-Fi',
    password: 'Parola',
  },
  uk: {
    name: 'Українська',
    table: 'Стіл',
    scan: 'Скануйте, щоб покликати офіціанта',
    open: 'або відкрийте',
    wifi: 'Wi-Fi',
    password: 'Пароль',
  },
  'zh-Hans': {
    name: '简体中文',
    table: '餐桌',
    scan: '扫码呼叫服务员',
    open: '或打开',
    wifi: 'Wi-Fi',
    password: '密码',
  },
} satisfies Record<string, CardTexts>

export type CardLanguage = keyof typeof cardTexts

export const isCardLanguage = (tag: string): tag is CardLanguage => Object.hasOwn(cardTexts, tag)

export const directionOf = (language: CardLanguage): 'rtl' | 'ltr' =>
  language === 'ar' || language === 'he' ? 'rtl' : 'ltr'

/** What this device last printed the cards of a restaurant in; at first, the language of the screen. */
export function keptCardLanguage(restaurantName: string): CardLanguage {
  const language = getStored(`card-language_${restaurantName}`) ?? document.documentElement.lang
  return isCardLanguage(language) ? language : 'en'
}

export const keepCardLanguage = (restaurantName: string, language: CardLanguage): void =>
  setStored(`card-language_${restaurantName}`, language)
