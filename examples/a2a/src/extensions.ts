import type { Extensions } from 'parley-server';
import { OrderTool } from './order.tool.js';
import { ReserveTool } from './reserve.tool.js';
import { ShopAgent } from './shop.agent.js';
import { Stock } from './stock.js';
import { StockTool } from './stock.tool.js';
import { WarehouseAgent } from './warehouse.agent.js';

/** What the server of the shop has; the tests use the same. */
export const shop: Extensions = { providers: [ShopAgent, OrderTool] };

/** What the server of the warehouse has. */
export const warehouse: Extensions = { providers: [WarehouseAgent, StockTool, ReserveTool, Stock] };
