import { createElement, Fragment, type ReactNode } from 'react'
import { translate } from './translate.ts'

/** A text with elements in it, such as a name in a `<bdi>`. */
export const tRich = (text: string, values: Readonly<Record<string, ReactNode>>): ReactNode =>
  createElement(
    Fragment,
    null,
    ...translate(text)
      .split(/\{(\w+)\}/)
      .map((part, index) => (index % 2 === 1 ? values[part] : part)),
  )
