package drover.gateway;

/** Slow readers on real ports. */
class LoopbackPressureIT extends PressureContract {
    @Override
    GatewayFixture open() {
        return GatewayFixture.onLoopback(OtherLimits.unlimitedRate());
    }
}
