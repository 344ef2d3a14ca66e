package drover.gateway;

/** The doors on real ports. */
class LoopbackDoorsIT extends GatewayDoorsContract {
    @Override
    GatewayFixture open() {
        return GatewayFixture.onLoopback();
    }
}
