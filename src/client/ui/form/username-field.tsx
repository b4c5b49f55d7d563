import type { JSX } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { Field, type FieldProps } from './field.tsx'

type UsernameFieldProps = Omit<FieldProps, 'label'> & { label?: string }

/** Nothing corrects or capitalizes what is typed. */
export function UsernameField({ label = t('Username'), ...rest }: UsernameFieldProps): JSX.Element {
  return <Field label={label} autoComplete="off" autoCapitalize="none" spellCheck={false} {...rest} />
}
