package drover.coordinator.election;

final class SingleCoordinatorElectorTest extends ElectorContract {
    @Override
    LeaderElector elector() {
        return new AlwaysElectedElector();
    }
}
