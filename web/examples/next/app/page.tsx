export default () => <p>Hello</p>;
