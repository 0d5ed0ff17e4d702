// A form made from a JSON schema. Its value is plain JSON; a member without a value is left out.
import { useId } from 'preact/hooks'
import { textOf } from '../parts/text-of.js'
import {
  type Choice,
  choicesOf,
  describeLimits,
  initialValue,
  isObject,
  type Member,
  membersOf,
  resolve,
  type Schema,
  typeOf,
  variantsOf,
} from './schema.js'

interface FieldProps {
  readonly schema: Schema
  /** The whole schema, for its `$ref`s. */
  readonly root: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** Fields for the members of an object. */
export function ObjectFields({ schema, root, value, onChange }: FieldProps) {
  const object = isObject(value) ? value : {}
  const change = (name: string, member: unknown): void => {
    const { [name]: _previous, ...others } = object
    onChange(member === undefined ? others : { ...object, [name]: member })
  }
  return (
    <div class="fields">
      {membersOf(schema, root).map((member) => (
        <LabelledField
          key={member.name}
          member={member}
          root={root}
          value={Object.hasOwn(object, member.name) ? object[member.name] : undefined}
          onChange={(changed) => change(member.name, changed)}
        />
      ))}
    </div>
  )
}

interface LabelledProps extends Omit<FieldProps, 'schema'> {
  readonly member: Member
}

function LabelledField({ member: { name, schema, isRequired }, root, value, onChange }: LabelledProps) {
  const id = useId()
  const { title, description } = schema
  const limits = describeLimits(schema)
  const isGroup = isGroupOf(schema, root)
  const label = (
    <>
      <span class="field-name">{typeof title === 'string' ? title : name}</span>
      {isRequired ? <span class="required">required</span> : null}
      <span class="field-type">{describeType(schema)}</span>
    </>
  )
  const help = [typeof description === 'string' ? description : '', limits].filter((text) => text !== '').join(' — ')
  const control = (
    <Control
      id={id}
      schema={schema}
      root={root}
      value={value}
      isRequired={isRequired}
      describedBy={help === '' ? undefined : `${id}-help`}
      onChange={onChange}
    />
  )
  const text =
    help === '' ? null : (
      <p class="help" id={`${id}-help`}>
        {help}
      </p>
    )
  if (isGroup) {
    return (
      <fieldset class="field group" data-field={name}>
        <legend>{label}</legend>
        {text}
        {control}
      </fieldset>
    )
  }
  return (
    <div class="field" data-field={name}>
      <label for={id}>{label}</label>
      {control}
      {text}
    </div>
  )
}

function isGroupOf(schema: Schema, root: Schema): boolean {
  if (choicesOf(schema) !== null) return false
  const type = typeOf(schema)
  return type === 'object' || type === 'array' || (type === '' && variantsOf(resolve(schema, root)).length > 0)
}

function describeType(schema: Schema): string {
  if (choicesOf(schema) !== null) return 'choice'
  const type = typeOf(schema)
  return type === '' ? 'any' : type
}

interface ControlProps extends FieldProps {
  readonly id: string
  readonly isRequired: boolean
  readonly describedBy: string | undefined
}

function Control(props: ControlProps) {
  const { schema, root } = props
  const choices = choicesOf(schema)
  if (choices !== null) return <ChoiceControl {...props} choices={choices} />
  switch (typeOf(schema)) {
    case 'string':
      return <TextControl {...props} />
    case 'number':
    case 'integer':
      return <NumberControl {...props} />
    case 'boolean':
      return <BooleanControl {...props} />
    case 'array':
      return <ArrayControl {...props} />
    case 'object':
      return membersOf(schema, root).length > 0 ? <NestedControl {...props} /> : <JsonControl {...props} />
    default:
      return variantsOf(schema).length > 0 ? <VariantControl {...props} /> : <JsonControl {...props} />
  }
}

/** Typed as text, because the types of attributes differ by the type of an input. */
const inputTypes = {
  date: 'date',
  email: 'email',
  uri: 'url',
  time: 'time',
} as unknown as Readonly<Record<string, 'text'>>

function TextControl({ id, schema, value, isRequired, describedBy, onChange }: ControlProps) {
  const shared = {
    id,
    'aria-describedby': describedBy,
    'aria-required': isRequired,
    value: typeof value === 'string' ? value : '',
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value === '' ? undefined : currentTarget.value),
  }
  const { maxLength, format, examples } = schema
  const example = Array.isArray(examples) ? String(examples[0]) : ''
  if (typeof maxLength === 'number' && maxLength > 200) return <textarea rows={3} placeholder={example} {...shared} />
  return <input type={inputTypes[textOf(format)] ?? 'text'} placeholder={example} autocomplete="off" {...shared} />
}

function NumberControl({ id, schema, value, isRequired, describedBy, onChange }: ControlProps) {
  const { minimum, maximum } = schema
  return (
    <input
      id={id}
      type="number"
      step={typeOf(schema) === 'integer' ? 1 : 'any'}
      min={typeof minimum === 'number' ? minimum : undefined}
      max={typeof maximum === 'number' ? maximum : undefined}
      aria-describedby={describedBy}
      aria-required={isRequired}
      value={typeof value === 'number' ? value : ''}
      onInput={({ currentTarget }) =>
        onChange(Number.isNaN(currentTarget.valueAsNumber) ? undefined : currentTarget.valueAsNumber)
      }
    />
  )
}

/** An optional boolean has three states: without a value, it is left out. */
function BooleanControl({ id, value, isRequired, describedBy, onChange }: ControlProps) {
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      aria-required={isRequired}
      value={textOf(value)}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : currentTarget.value === 'true')
      }
    >
      <option value="">{isRequired ? 'Choose…' : 'Not set'}</option>
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  )
}

function ChoiceControl({ id, choices, value, isRequired, describedBy, onChange }: ControlProps & ChoicesProps) {
  const selected = choices.findIndex((choice) => choice.value === value)
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      aria-required={isRequired}
      value={selected === -1 ? '' : String(selected)}
      onChange={({ currentTarget }) => onChange(choices[Number(currentTarget.value || -1)]?.value)}
    >
      <option value="">{isRequired ? 'Choose…' : 'Not set'}</option>
      {choices.map(({ title }, index) => (
        <option key={index} value={String(index)}>
          {title}
        </option>
      ))}
    </select>
  )
}

interface ChoicesProps {
  readonly choices: readonly Choice[]
}

function ArrayControl({ id, schema, root, value, onChange }: ControlProps) {
  const items = Array.isArray(value) ? (value as unknown[]) : []
  const itemSchema = resolve(schema['items'], root)
  const choices = choicesOf(itemSchema)
  const change = (changed: readonly unknown[]): void => onChange(changed.length === 0 ? undefined : changed)
  if (choices !== null) return <ManyChoices choices={choices} items={items} onChange={change} />
  return (
    <div class="items">
      {items.map((item, index) => (
        <div class="item" key={index}>
          <div class="item-control">
            <label class="visually-hidden" for={`${id}-${index}`}>
              Item {index + 1}
            </label>
            <Control
              id={`${id}-${index}`}
              schema={itemSchema}
              root={root}
              value={item}
              isRequired={true}
              describedBy={undefined}
              onChange={(changed) => onChange(items.with(index, changed ?? emptyOf(itemSchema)))}
            />
          </div>
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove item ${index + 1}`}
            onClick={() => change(items.toSpliced(index, 1))}
          >
            ×
          </button>
        </div>
      ))}
      <button
        type="button"
        class="small"
        onClick={() => onChange([...items, initialValue(itemSchema, root) ?? emptyOf(itemSchema)])}
      >
        + Add item
      </button>
    </div>
  )
}

function emptyOf(schema: Schema): unknown {
  const type = typeOf(schema)
  if (type === 'string') return ''
  if (type === 'number' || type === 'integer') return 0
  if (type === 'boolean') return false
  if (type === 'array') return []
  return type === 'object' ? {} : null
}

interface ManyChoicesProps extends ChoicesProps {
  readonly items: readonly unknown[]
  readonly onChange: (items: readonly unknown[]) => void
}

function ManyChoices({ choices, items, onChange }: ManyChoicesProps) {
  return (
    <div class="checks">
      {choices.map(({ value, title }) => (
        <label key={String(value)} class="check">
          <input
            type="checkbox"
            checked={items.includes(value)}
            onChange={({ currentTarget }) =>
              onChange(
                choices
                  .map((choice) => choice.value)
                  .filter((each) => (each === value ? currentTarget.checked : items.includes(each))),
              )
            }
          />
          {title}
        </label>
      ))}
    </div>
  )
}

/** An object. An optional one is added first, so that a schema that contains itself ends somewhere. */
function NestedControl({ schema, root, value, isRequired, onChange }: ControlProps) {
  if (value === undefined && !isRequired) {
    return (
      <button type="button" class="small" onClick={() => onChange(initialValue(schema, root) ?? {})}>
        + Add
      </button>
    )
  }
  return (
    <>
      <ObjectFields schema={schema} root={root} value={value} onChange={onChange} />
      {isRequired ? null : (
        <button type="button" class="small" onClick={() => onChange(undefined)}>
          Remove
        </button>
      )}
    </>
  )
}

/** A union of shapes: first the choice of one, then its fields. */
function VariantControl({ id, schema, root, value, isRequired, describedBy, onChange }: ControlProps) {
  const variants = variantsOf(schema).map((variant) => resolve(variant, root))
  const selected = value === undefined ? -1 : variants.findIndex((variant) => fits(value, variant))
  const variant = variants[selected]
  return (
    <div class="variant">
      <select
        id={id}
        aria-label="Variant"
        aria-describedby={describedBy}
        value={String(selected)}
        onChange={({ currentTarget }) => {
          const chosen = variants[Number(currentTarget.value)]
          onChange(chosen === undefined ? undefined : (initialValue(chosen, root) ?? emptyOf(chosen)))
        }}
      >
        <option value="-1">{isRequired ? 'Choose…' : 'Not set'}</option>
        {variants.map((each, index) => (
          <option key={index} value={String(index)}>
            {textOf(each['title'] ?? each['const'] ?? (typeOf(each) || `variant ${index + 1}`))}
          </option>
        ))}
      </select>
      {variant === undefined || typeOf(variant) === 'null' || 'const' in variant ? null : (
        <Control
          id={`${id}-value`}
          schema={variant}
          root={root}
          value={value}
          isRequired={true}
          describedBy={undefined}
          onChange={onChange}
        />
      )}
    </div>
  )
}

function fits(value: unknown, schema: Schema): boolean {
  if ('const' in schema) return schema['const'] === value
  switch (typeOf(schema)) {
    case 'object':
      return (
        isObject(value) && Object.entries(constantsOf(schema)).every(([name, constant]) => value[name] === constant)
      )
    case 'array':
      return Array.isArray(value)
    case 'integer':
    case 'number':
      return typeof value === 'number'
    case 'null':
      return value === null
    default:
      return typeof value === typeOf(schema)
  }
}

function constantsOf(schema: Schema): Readonly<Record<string, unknown>> {
  const constants = membersOf(schema, schema).filter((member) => 'const' in member.schema)
  return Object.fromEntries(constants.map((member) => [member.name, member.schema['const']]))
}

/** Any JSON. Invalid text stays in the field until it is JSON again. */
export function JsonControl({ id, value, describedBy, onChange }: ControlProps) {
  return (
    <textarea
      id={id}
      class="code"
      rows={4}
      spellcheck={false}
      aria-describedby={describedBy}
      placeholder="JSON"
      defaultValue={value === undefined ? '' : JSON.stringify(value, null, 2)}
      onInput={({ currentTarget }) => {
        const { value: text } = currentTarget
        try {
          onChange(text.trim() === '' ? undefined : JSON.parse(text))
          currentTarget.setCustomValidity('')
          currentTarget.removeAttribute('aria-invalid')
        } catch {
          currentTarget.setCustomValidity('This is not JSON')
          currentTarget.setAttribute('aria-invalid', 'true')
        }
      }}
    />
  )
}
