package drover.gateway;

/** The doors on real ports. */
class LoopbackGatewayServicesIT extends GatewayServicesContract {
    @Override
    GatewayFixture open() {
        return GatewayFixture.onLoopback();
    }
}
