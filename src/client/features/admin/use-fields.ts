import { type RefObject, useRef, useState } from 'react'
import { focusField } from '../../lib/focus-field.ts'
import { useToast } from '../../ui/toast.tsx'

type Fields<Values> = {
  /** To be put on the form. */
  form: RefObject<HTMLFormElement | null>
  values: Values
  setValues: (values: Values) => void
  focusField: (name: keyof Values & string) => void
  /** What the input of this name is given. */
  field: (name: keyof Values & string) => {
    name: string
    value: string
    error: string | undefined
    onChange: (event: { target: { value: string } }) => void
  }
  setError: (name: keyof Values & string, title: string, message: string) => void
}

/** Texts of a form; a complaint stands beside its field, which takes the focus, and in a toast. */
export function useFields<Values extends Record<string, string>>(start: Values): Fields<Values> {
  const [typed, setTyped] = useState(start)
  const [problems, setProblems] = useState<Partial<Record<string, string>>>({})
  const { toast } = useToast()
  const form = useRef<HTMLFormElement>(null)

  return {
    form,
    values: typed,
    setValues: setTyped,
    focusField: (name) => focusField(form.current, name),
    field: (name) => ({
      name,
      value: typed[name] ?? '',
      error: problems[name],
      onChange({ target }) {
        setTyped({ ...typed, [name]: target.value })
        setProblems({})
      },
    }),
    setError(name, title, message) {
      setProblems({ [name]: message })
      focusField(form.current, name)
      toast({ title, description: message, destructive: true })
    },
  }
}
