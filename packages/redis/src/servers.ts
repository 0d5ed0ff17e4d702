import { ClusterServers } from './cluster-servers.js'
import { CommonServers, createNode, type NodeClient, type Servers, type ServersInit } from './common-servers.js'
import { SentinelServers } from './sentinel-servers.js'

export function findServers(init: ServersInit): Servers {
  if (init.cluster !== undefined) return new ClusterServers(init, init.cluster)
  if (init.sentinel !== undefined) return new SentinelServers(init, init.sentinel)
  return new OneServer(init)
}

class OneServer extends CommonServers {
  #url = ''

  async openNode(): Promise<NodeClient> {
    const { url } = this.init
    this.#url = typeof url === 'string' ? url : await url()
    this.urls = [this.#url]
    return createNode(this.optionsOf({ url: this.#url }))
  }

  get hosts(): string {
    return URL.canParse(this.#url) ? new URL(this.#url).host : 'the url'
  }
}
