// Serves the features of the how-to guides, so that the guides show real
// responses.
import { serve } from 'toolwright'
import { RoomTools } from './ask-the-user.js'
import {
  DiaryTools,
  NoteTools,
  PriceTools,
  TransferTools,
} from './inject-services.js'
import { DownloadTools, ImportTools } from './report-progress.js'
import { ReportTools, TemperatureTools } from './return-results.js'
import { MorePrompts, ReviewPrompts } from './serve-prompts.js'
import { FeatureRegistries, LibraryResources } from './serve-resources.js'
import { ShopTools, Stock } from './tell-clients.js'
import {
  BookingTools,
  ForecastTools,
  StockTools,
  TripTools,
} from './validate-arguments.js'

await serve({
  name: 'examples',
  version: '1.0.0',
  controllers: [
    ForecastTools,
    TripTools,
    BookingTools,
    StockTools,
    TemperatureTools,
    ReportTools,
    ImportTools,
    DownloadTools,
    NoteTools,
    DiaryTools,
    PriceTools,
    TransferTools,
    LibraryResources,
    FeatureRegistries,
    ReviewPrompts,
    MorePrompts,
    RoomTools,
    ShopTools,
    Stock,
  ],
})
