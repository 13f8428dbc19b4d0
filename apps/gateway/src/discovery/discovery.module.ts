import { Module } from '@nestjs/common';
import { ProductsModule } from '../products/products.module';
import { DiscoveryController } from './discovery.controller';

/** The documents by which software finds this service. */
@Module({ imports: [ProductsModule], controllers: [DiscoveryController] })
export class DiscoveryModule {}
