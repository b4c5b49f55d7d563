import X from 'lucide-react/icons/x'
import { type JSX, useRef } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import type { CustomNamesState } from './use-table-setup.ts'

type CustomTableNamesProps = CustomNamesState & { problem: string | null }

export function CustomTableNames({
  names,
  setNames,
  typed,
  onType,
  add,
  problem,
}: CustomTableNamesProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <div className="flex items-start gap-2">
        <Field
          ref={input}
          label="Table Name"
          placeholder="Patio 1"
          autoComplete="off"
          value={typed}
          error={problem}
          onChange={(event) => onType(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
            event.preventDefault()
            add()
          }}
        />
        <div className="pt-7">
          <Button
            onClick={() => {
              input.current?.focus()
              add()
            }}
          >
            Add
          </Button>
        </div>
      </div>
      {names.length > 0 && (
        <ul aria-label="Tables to set up" className="flex flex-wrap gap-2">
          {names.map((one) => (
            <li key={one} className="flex items-center rounded-full bg-plate-2 ps-4 font-semibold">
              <span className="wrap-anywhere">{one}</span>
              <IconButton
                label={`Take ${one} off the list`}
                onClick={() => {
                  setNames(names.filter((other) => other !== one))
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
