import {
  assistantMessage,
  audio,
  type CompletionRequest,
  embeddedResource,
  image,
  injectable,
  McpCompletion,
  McpPrompt,
  type PromptMessage,
  resourceLink,
  type Static,
  Type,
  userMessage,
} from 'toolwright'
import { Cookbook } from '../cookbook.js'
import { gong, plate } from '../media.js'

const Meal = Type.Object({
  kitchen: Type.String({ description: 'Cuisine, such as italian' }),
  dish: Type.String({ description: 'The main dish' }),
  guests: Type.Optional(
    Type.Integer({
      description: 'Number of guests',
      minimum: 1,
      maximum: 50,
      default: 2,
    }),
  ),
})

/**
 * Prompts that a user chooses in a client, as templates of messages to the
 * model.
 */
@injectable()
export class CookingPrompts {
  constructor(private readonly cookbook: Cookbook) {}

  @McpPrompt({
    title: 'Plan a meal',
    description: 'Asks for a shopping list',
    input: Meal,
  })
  planMeal({ kitchen, dish, guests }: Static<typeof Meal>): string {
    return `Write a shopping list for ${dish}, ${kitchen} style, for ${guests} people.`
  }

  @McpPrompt({
    title: 'Judge a plate',
    description: 'A conversation with every kind of content',
  })
  judgePlate(): PromptMessage[] {
    const recipe = {
      uri: 'cookbook://risotto',
      mimeType: 'text/plain',
      text: 'Stir for 18 minutes.',
    }
    return [
      userMessage('This is my risotto:'),
      userMessage(image(plate, 'image/png')),
      userMessage(embeddedResource(recipe)),
      userMessage(
        resourceLink('cookbook://rice', 'rice', {
          description: 'Kind of rice to buy',
        }),
      ),
      assistantMessage('How did the gong sound when it was done?'),
      userMessage(audio(gong, 'audio/wav')),
    ]
  }

  @McpCompletion({ prompt: 'plan_meal', argument: 'kitchen' })
  completeKitchen({ value }: CompletionRequest): string[] {
    return this.cookbook.kitchens.filter((kitchen) => kitchen.startsWith(value))
  }

  /** Completes dishes of the given kitchen, or of all kitchens. */
  @McpCompletion({ prompt: 'plan_meal', argument: 'dish' })
  completeDish({ value, arguments: { kitchen } }: CompletionRequest): string[] {
    const kitchens = kitchen === undefined ? this.cookbook.kitchens : [kitchen]
    return kitchens
      .flatMap((name) => this.cookbook.dishesOf(name))
      .filter((dish) => dish.startsWith(value))
  }
}
