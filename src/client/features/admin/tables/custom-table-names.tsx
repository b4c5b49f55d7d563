import X from 'lucide-react/icons/x'
import { type JSX, useRef } from 'react'
import { t } from '../../../lib/texts/translate.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import type { FieldProps } from '../../../ui/form/use-form.ts'

type CustomTableNamesProps = {
  field: FieldProps
  /** The names added so far. */
  names: readonly string[]
  onAdd: () => void
  onRemove: (name: string) => void
}

export function CustomTableNames({ field, names, onAdd, onRemove }: CustomTableNamesProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <div className="flex items-start gap-2">
        <Field
          ref={input}
          label={t('Table Name')}
          placeholder={t('Patio 1')}
          autoComplete="off"
          {...field}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
            event.preventDefault()
            onAdd()
          }}
        />
        <div className="pt-7">
          <Button
            onClick={() => {
              input.current?.focus()
              onAdd()
            }}
          >
            {t('Add')}
          </Button>
        </div>
      </div>
      {names.length > 0 && (
        <ul aria-label={t('Tables to set up')} className="flex flex-wrap gap-2">
          {names.map((name) => (
            <li key={name} className="flex items-center rounded-full bg-plate-2 ps-4 font-semibold">
              <span className="wrap-anywhere">{name}</span>
              <IconButton
                label={t('Take {name} off the list', { name })}
                onClick={() => {
                  onRemove(name)
                  input.current?.focus()
                }}
              >
                <X aria-hidden size={18} />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
