import type { ComponentProps, JSX } from 'react'
import { crewRoles } from '#contract/crew/crew.ts'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { t } from '../../../lib/texts/translate.ts'

export function RoleField(field: Omit<ComponentProps<typeof SelectField>, 'label'>): JSX.Element {
  return (
    <SelectField label={t('Role')} {...field}>
      {crewRoles.map((role) => (
        <option key={role} value={role}>
          {t(role)}
        </option>
      ))}
    </SelectField>
  )
}
