package drover.gateway;

import java.util.UUID;

/** The doors inside one process, as standalone has them. */
class InProcessGatewayServicesTest extends GatewayServicesContract {
    @Override
    GatewayFixture open() {
        return GatewayFixture.inProcess(UUID.randomUUID().toString());
    }
}
