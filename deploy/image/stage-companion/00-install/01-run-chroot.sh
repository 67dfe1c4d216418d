/root/companion/deploy/install.sh --image
rm -rf /root/companion
